import { expect, test } from 'vitest';
import { stepsOf } from './knots';
import { sample, sampleDelivery as to } from './sample';

const said = (...deliveries: ReturnType<typeof to>[]) =>
  stepsOf(sample('m', 'operator', 'ines', { target: { strategy: 'role', role: 'x' }, deliveries }), 'operator').map(
    ({ what }) => what,
  );

test('the newest is on top, and what was written is at the end', () => {
  expect(said(to('ines', 'read'), to('hazel', 'delivered', { delivered_at: '2026-11-15T10:05:00Z', attempts: 2 }))).toEqual([
    'Handed to hazel, again',
    'ines read it',
    'Handed to ines',
    'You wrote to role x',
  ]);
});

test('what was parked stands above its last try', () => {
  expect(said(to('flint', 'parked', { attempts: 5 }))).toEqual([
    'Parked for flint',
    'Handed to flint, again',
    'You wrote to role x',
  ]);
});

test('a message that reached nobody says so', () => {
  const steps = stepsOf(sample('m', 'ines', 'x', { deliveries: [] }), 'operator');
  expect(steps).toMatchObject([{ what: 'ines wrote to x', why: 'Nobody matched' }]);
});
