// Which conversation is looked at, and as whom. All of it is in the address.

import { useSearch } from 'wouter';
import { href, setParams } from '@/app/address';
import { operator } from '@/things/message/place';

export type Tab = 'peers' | 'groups' | 'nobody';

/** A conversation: of two, of a group, what reached nobody, or one that is about to begin. */
export type Place = { as: string; tab: Tab; peer: string; group: string; fresh: boolean };

export function usePlace(): Place {
  const params = new URLSearchParams(useSearch());
  const get = (name: string) => params.get(name) ?? '';
  const tab = get('tab');
  const group = get('group');
  return {
    as: get('as') || operator,
    tab: tab === 'groups' || tab === 'nobody' ? tab : group ? 'groups' : 'peers',
    peer: group ? '' : get('peer'),
    group,
    fresh: get('new') !== '',
  };
}

/** What a conversation is called where it is kept, such as its draft. */
export function placeKey({ peer, group, fresh, tab }: Place): string {
  if (fresh) return 'new';
  if (peer) return `peer:${peer}`;
  return group ? `group:${group}` : tab;
}

/** Whether there is a conversation to show beside the list. */
export const isOpen = (place: Place) => place.fresh || !!place.peer || !!place.group;

/** The address of a place; who looks stays the same unless it is said. */
export function placeHref(place: Place, next: Partial<Place>): string {
  const as = next.as ?? place.as;
  return href('/conversations', {
    as: as === operator ? undefined : as,
    tab: next.tab && next.tab !== 'peers' ? next.tab : undefined,
    peer: next.peer,
    group: next.group,
    new: next.fresh ? '1' : undefined,
  });
}

/** Back to the list, on a phone. */
export const closeTalk = () => setParams({ peer: undefined, group: undefined, new: undefined, see: undefined }, 'push');
