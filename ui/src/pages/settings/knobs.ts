// Settings as the page shows them: where each belongs, what it is measured in, and what is wrong with a value.

import type { Item } from '@/api/call';

export type Setting = Item<'settings_list'>;

export type Place = 'hub' | 'bus' | 'retention' | 'webhooks' | 'start';

/** Which section shows a setting. What the hub takes only when it starts stands apart. */
export function placeOf(setting: Pick<Setting, 'key' | 'group' | 'requires_restart'>): Place {
  if (setting.key.startsWith('retention_') || setting.key === 'auto_prune_on_start') return 'retention';
  if (setting.key.startsWith('webhook_')) return 'webhooks';
  if (setting.group === 'hub') return setting.requires_restart ? 'start' : 'hub';
  return 'bus';
}

/** Whether a setting fits every word that was typed. */
export function fits(setting: Setting, q: string): boolean {
  const text = `${setting.key} ${setting.key.replaceAll('_', ' ')} ${setting.description} ${sourceWord(setting)}`.toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

const sources: Record<string, string> = { default: 'default', file: 'file', stored: 'changed here' };

/** Where a value is from. */
export function sourceWord({ source, pinned_by }: Pick<Setting, 'source' | 'pinned_by'>): string {
  if (source === 'cli/env') return pinned_by?.startsWith('flag') ? 'flag' : 'environment';
  return sources[source] ?? source;
}

/** Why a setting cannot be changed here; nothing if it can. */
export function lockedBy(setting: Setting): string | undefined {
  if (setting.editable) return undefined;
  if (setting.pinned_by) return `Set by ${setting.pinned_by}, which decides. Change it there and start the hub anew.`;
  const flag = `--${setting.key.replaceAll('_', '-')}`;
  return `Given when the hub starts: ${flag}, NEXUS_${setting.key.toUpperCase()} or ${setting.key} in config.toml.`;
}

/** What a number is measured in, from the end of its name. */
export function unitOf(key: string): string {
  return /_(seconds|days|bytes|ms)$/.exec(key)?.[1] ?? '';
}

const steps: Record<string, [number, string][]> = {
  seconds: [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'm'],
  ],
  ms: [[1_000, 's']],
  bytes: [
    [1_048_576, 'MiB'],
    [1_024, 'KiB'],
  ],
};

const unitWords: Record<string, string> = { ms: 'milliseconds' };

/** What stands under a number: its unit, and for a large one the same in a larger unit. */
export function unitHint(key: string, text: string): string {
  const unit = unitOf(key);
  return [unitWords[unit] ?? unit, inWords(key, text)].filter(Boolean).join(' = ');
}

/** A large number in a larger unit: 86400 seconds are 1 d. */
export function inWords(key: string, value: unknown): string {
  const number = Number(value);
  const step = steps[unitOf(key)]?.find(([size]) => number >= size);
  if (!step || value === '') return '';
  const whole = Math.round((number / step[0]) * 10) / 10;
  return `${whole} ${step[1]}`;
}

/** How a value stands in its field. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  return value === null || value === undefined ? '' : String(value);
}

/** A value as people read it. */
export function shownValue(value: unknown): string {
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : textOf(value) || 'nothing';
}

/** What a text in a field means for the hub, or what is wrong with it. */
export function readValue(setting: Setting, text: string): { value: unknown } | { wrong: string } {
  if (setting.type === 'list') {
    return {
      value: text
        .split(',')
        .map((word) => word.trim())
        .filter(Boolean),
    };
  }
  if (setting.type !== 'int') return { value: text };
  const number = Number(text);
  if (text.trim() === '' || !Number.isInteger(number)) return { wrong: 'A whole number is needed.' };
  if (setting.min !== null && number < setting.min) return { wrong: `At least ${setting.min}.` };
  if (setting.max !== null && number > setting.max) return { wrong: `At most ${setting.max}.` };
  return { value: number };
}
