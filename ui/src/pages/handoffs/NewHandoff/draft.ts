// A hand-off while somebody writes it, and the call that it becomes.

import type { Input } from '@/api/call';

export type Strategy = 'direct' | 'role' | 'capability' | 'broadcast' | 'mixed' | 'direct_with_fallback';

/** Whom a part of a target means: an agent, a role or a capability, by its word. */
export type Rule = { strategy: 'direct' | 'role' | 'capability'; word: string };

/** For whom it is later: a rule, or everybody. */
export type Later = { strategy: Rule['strategy'] | 'broadcast'; word: string };

export type Draft = {
  workspace: string;
  payload: string;
  strategy: Strategy;
  /** The agent, the role or the capability. */
  word: string;
  rules: Rule[];
  fallbackAfter: string;
  fallback: Later;
  visibility: string;
  priority: string;
  expires: string;
  dependsOn: string[];
  criteria: string[];
  verify: '' | 'creator' | 'agent' | 'capability';
  verifier: string;
  maxAttempts: string;
  task: string;
};

export const blank: Draft = {
  workspace: '',
  payload: '',
  strategy: 'broadcast',
  word: '',
  rules: [{ strategy: 'role', word: '' }],
  fallbackAfter: '300',
  fallback: { strategy: 'broadcast', word: '' },
  visibility: 'public',
  priority: '',
  expires: '',
  dependsOn: [],
  criteria: [],
  verify: '',
  verifier: '',
  maxAttempts: '',
  task: '',
};

const named = { direct: 'agent_id', role: 'role', capability: 'capability' } as const;

/** A rule as the hub reads it. */
function ruleOf({ strategy, word }: Later): Record<string, unknown> {
  return strategy === 'broadcast' ? { strategy } : { strategy, [named[strategy]]: word.trim() };
}

/** Who may take it, as the hub reads it. */
export function targetOf(draft: Draft): Record<string, unknown> {
  const { strategy, word } = draft;
  switch (strategy) {
    case 'mixed':
      return { strategy, rules: draft.rules.map(ruleOf) };
    case 'direct_with_fallback':
      return {
        strategy,
        agent_id: word.trim(),
        fallback_after_seconds: Number(draft.fallbackAfter) || 0,
        fallback: ruleOf(draft.fallback),
      };
    default:
      return ruleOf({ strategy, word });
  }
}

/** JSON where it is an object or a list; anything else is text as it was typed. */
export function payloadOf(text: string): unknown {
  const trimmed = text.trim();
  if (!/^[{[]/.test(trimmed)) return text;
  try {
    return JSON.parse(trimmed);
  } catch {
    return text;
  }
}

const number = (text: string) => (text.trim() === '' ? undefined : Number(text));

function verifierOf({ verify, verifier }: Draft): Record<string, string> | undefined {
  if (verify === 'agent') return { kind: verify, agent_id: verifier.trim() };
  if (verify === 'capability') return { kind: verify, capability: verifier.trim() };
  return verify ? { kind: verify } : undefined;
}

/** The call. What was left blank stays out. */
export function inputOf(draft: Draft): Input<'handoff_create'> {
  const criteria = draft.criteria.map((line) => line.trim()).filter(Boolean);
  return {
    project_root: draft.workspace,
    from_agent_id: 'operator',
    target: targetOf(draft) as never,
    visibility: draft.visibility,
    payload: payloadOf(draft.payload),
    task_id: draft.task || undefined,
    priority: number(draft.priority),
    expires_at: draft.expires ? new Date(draft.expires).toISOString() : undefined,
    depends_on: draft.dependsOn.length > 0 ? draft.dependsOn : undefined,
    acceptance_criteria: criteria.length > 0 ? criteria : undefined,
    verify_by: verifierOf(draft) as never,
    max_attempts: number(draft.maxAttempts),
  };
}
