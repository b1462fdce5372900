// What is typed into the search, as far as the page needs to understand it: which operators it has, and how one is written.
// The hub reads the same words in the same way (search/query.go).

export const names = ['from', 'in', 'type', 'before', 'after'] as const;
export type Name = (typeof names)[number];

export type Operator = { name: Name; value: string; start: number; end: number };

const pattern = /(?<=^|\s)(from|in|type|before|after):(?:"([^"]*)"|(\S+))/gi;

/** The operators of a query, in their order, with where they stand. */
export function operatorsOf(q: string): Operator[] {
  return [...q.matchAll(pattern)]
    .map((match) => ({
      name: match[1]!.toLowerCase() as Name,
      value: (match[2] ?? match[3] ?? '').trim(),
      start: match.index,
      end: match.index + match[0].length,
    }))
    .filter(({ value }) => value !== '');
}

const written = (name: Name, value: string) => `${name}:${/[\s"]/.test(value) ? `"${value.replaceAll('"', '')}"` : value}`;

/** A query with an operator more. There is only one of before and after each. */
export function withOperator(q: string, name: Name, value: string): string {
  const known = operatorsOf(q);
  if (known.some((one) => one.name === name && one.value === value)) return q;
  const single = name === 'before' || name === 'after';
  const left = single ? known.filter((one) => one.name === name).reduceRight(without, q) : q;
  return `${left.trim()} ${written(name, value)}`.trim();
}

/** A query without one of its operators. */
export function without(q: string, { start, end }: Pick<Operator, 'start' | 'end'>): string {
  return `${q.slice(0, start).trimEnd()} ${q.slice(end).trimStart()}`.trim();
}
