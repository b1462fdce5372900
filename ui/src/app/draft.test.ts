import { act, renderHook } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { useDraft } from './draft';
import { remember, remembered } from './remember';

const blank = { title: '', place: '' };
const kept = () => remembered('draft.x', {});

beforeEach(() => localStorage.clear());

test('several changes at once are all kept', () => {
  const { result } = renderHook(() => useDraft('draft.x', blank));
  act(() => {
    result.current[1]({ title: 'One' });
    result.current[1]({ place: 'w1' });
  });
  expect(result.current[0]).toEqual({ title: 'One', place: 'w1' });
  expect(kept()).toEqual({ title: 'One', place: 'w1' });
});

test('what the address says goes before what was kept; where it says nothing, that stays', () => {
  remember('draft.x', { title: 'Kept', place: 'w1' });
  const { result } = renderHook(() => useDraft('draft.x', blank, { given: { title: '', place: 'w2' } }));
  expect(result.current[0]).toEqual({ title: 'Kept', place: 'w2' });
});

test('what is blank is not kept, nor what was dropped', () => {
  const isBlank = (draft: typeof blank) => !draft.title;
  const { result } = renderHook(() => useDraft('draft.x', blank, { isBlank }));
  act(() => result.current[1]({ place: 'w1' }));
  expect(kept()).toEqual({});
  act(() => result.current[1]({ title: 'One' }));
  expect(kept()).toEqual({ title: 'One', place: 'w1' });
  act(() => result.current[2]({ place: 'w1' }));
  expect(result.current[0]).toEqual({ title: '', place: 'w1' });
  expect(kept()).toEqual({});
});
