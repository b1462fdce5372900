import { expect, test } from 'vitest';
import { sample, sampleDelivery as to } from './sample';
import {
  hasOwnSubject,
  laneSummary,
  messageTitle,
  noticeOf,
  previewWords,
  reached,
  stage,
  subjectFrom,
  toWords,
  worstLane,
} from './words';

test.each([
  [null, 'everybody'],
  [{}, 'everybody'],
  [{ strategy: 'direct', agent_id: 'ines' }, 'ines'],
  [{ strategy: 'role', role: 'builder' }, 'role builder'],
  [{ strategy: 'capability', capability: ['go', 'css'] }, 'capability go or css'],
  [
    {
      strategy: 'mixed',
      rules: [
        { strategy: 'role', role: 'a' },
        { strategy: 'direct', agent_id: 'b' },
      ],
    },
    'role a, b',
  ],
])('%j is for %s', (target, words) => {
  expect(toWords({ target })).toBe(words);
});

test.each([
  [[], 'reached nobody', undefined, undefined],
  [[to('a')], 'queued', 'unread', 'unread'],
  [[to('a', 'read')], 'read', 'read', 'read'],
  [[to('a', 'read'), to('b')], '1 read, 1 queued', 'unread', 'delivered'],
  [[to('a', 'parked'), to('b', 'delivered'), to('c', 'read')], '1 read, 1 delivered, 1 parked', 'parked', 'delivered'],
  [[to('a', 'parked'), to('b')], '1 queued, 1 parked', 'parked', 'parked'],
])('%# stands as %s', (deliveries, words, worst, whole) => {
  expect(laneSummary({ deliveries })).toBe(words);
  expect(worstLane({ deliveries })).toBe(worst);
  expect(stage({ deliveries })).toBe(whole);
});

test('a list of deliveries that was cut says so', () => {
  expect(laneSummary({ deliveries: [to('a'), to('b')], more_deliveries: true })).toBe('2 queued and more');
});

test('parked mail did not get through', () => {
  expect(reached({ deliveries: [to('a', 'parked'), to('b', 'read'), to('c', 'delivered'), to('d')] })).toEqual({
    through: 2,
    read: 1,
    all: 4,
  });
});

test.each([
  ['Hello', 'Hello, who is there?', false],
  ['The claim reads first…', '**The claim** reads first and updates after', false],
  ['A question', 'Who is there?', true],
  ['', 'Text', false],
])('subject %j over %j says more: %s', (subject, body, own) => {
  expect(hasOwnSubject({ subject, body, preview: '' })).toBe(own);
});

test.each([
  ['One line', 'One line'],
  ['# Title\nand more', 'Title'],
  ['\n\n> quoted', 'quoted'],
  ['x'.repeat(200), `${'x'.repeat(79)}…`],
  ['###', '###'],
])('%j without a subject is called %j', (body, subject) => {
  expect(subjectFrom(body)).toBe(subject);
});

const told = JSON.stringify({ handoff_id: 'hof_1', kind: 'handoff.sent_back', feedback: 'Not yet' });

test('what the hub tells of work is a notice', () => {
  const message = sample('m', 'a', 'b', { provenance: { sender: 'bus', proof: 'claimed' }, body: told, preview: told });
  expect(noticeOf(message)).toMatchObject({ handoff: 'hof_1', kind: 'sent_back', words: 'Sent back', why: 'Not yet' });
  expect(messageTitle(message)).toBe('Sent back');
});

test('a notice whose text was cut is still one', () => {
  const cut = '{"acceptance_criteria":["one"],"by_agent_id":"a","handoff_id":"hof_2","kind":"handoff.verify","next_st';
  const message = sample('m', 'a', 'b', { provenance: { sender: 'bus', proof: 'claimed' }, body: undefined, preview: cut });
  expect(noticeOf(message)).toMatchObject({ handoff: 'hof_2', words: 'Waits to be verified' });
});

test('an agent cannot write a notice', () => {
  expect(noticeOf(sample('m', 'a', 'b', { body: told, preview: told }))).toBeUndefined();
});

test('previews are words on one line', () => {
  expect(previewWords('# Plan\n\n**one** `handoff_verify`  two')).toBe('Plan one handoff_verify two');
  expect(previewWords('{"handoff_id":"hof_1","kind":"handoff.parked","sta')).toBe('Parked');
});
