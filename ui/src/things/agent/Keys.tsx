/** The keys of an agent. */
export function AgentKeys(_: { agentId: string }) {
  return null;
}
