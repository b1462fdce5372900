// What an agent says of itself.

/** Whether somebody says of itself that it is a person. */
export function isPerson(agent: { agent_id: string; metadata?: unknown }): boolean {
  return agent.agent_id === 'operator' || (agent.metadata as { person?: unknown } | null)?.person === true;
}

/** What somebody can do, as words: the hub keeps a list, or an object of word: true. */
export function abilities(capabilities: unknown): string[] {
  if (Array.isArray(capabilities)) return capabilities.filter((word) => typeof word === 'string');
  if (capabilities && typeof capabilities === 'object')
    return Object.entries(capabilities)
      .filter(([, can]) => can)
      .map(([word]) => word);
  return [];
}
