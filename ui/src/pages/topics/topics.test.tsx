import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { stale } from '@/api/stale';
import { refusal, show, stubHub } from '@/testing/hub';
import type { Post } from '@/things/topic/words';
import Topics from '.';
import { samplePost, sampleTopic } from './sample';

let posts: Post[];
let topic = sampleTopic();

const hub = () => ({
  topic_browse: { items: [topic, sampleTopic({ topic_id: 't2', name: 'Names', status: 'closed' })], next_cursor: null },
  topic_look: () => ({
    topic,
    context_mode: 'latest',
    focus_message_id: null,
    messages: posts,
    has_earlier: false,
    has_later: false,
    presence: [],
  }),
  topic_read: () => ({ topic_id: 't1', messages: posts, count: posts.length, has_more: false, last_seq: 9 }),
  topic_presence: { topic_id: 't1', peers: [], count: 0 },
  messages_search: { results: [], count: 0 },
});

beforeEach(() => {
  localStorage.clear();
  topic = sampleTopic();
  posts = [samplePost(1), samplePost(2, { reply_to: 'p1', sender: 'heron' }), samplePost(3, { message_type: 'question' })];
});

const field = () => screen.findByRole('textbox', { name: 'Write a post' });

test('the list narrows in the address, and leads to a topic without what belongs to another', async () => {
  const asked = stubHub(hub());
  show(<Topics />, '/topics?find=x&post=p9&see=post:t9:p9');
  const line = await screen.findByRole('link', { name: /Leases/ });
  expect(line.getAttribute('href')).toBe('/topics?topic=t1');
  await userEvent.click(screen.getByRole('radio', { name: 'Closed' }));
  await userEvent.type(screen.getByRole('textbox', { name: 'Type to filter' }), 'nam');
  expect(location.search).toContain('status=closed');
  await waitFor(() => expect(asked.of('topic_browse').at(-1)).toMatchObject({ status: 'closed', q: 'nam' }));
});

test('replies hang from their post, and questions are tagged', async () => {
  stubHub(hub());
  show(<Topics />, '/topics?topic=t1');
  const replies = await screen.findByRole('list', { name: 'Replies to #1' });
  expect(within(replies).getByText('Text of p2')).toBeTruthy();
  expect(within(screen.getByRole('article', { name: /#3$/ })).getByText('question')).toBeTruthy();
});

test('Ctrl-Enter posts; the answer to a question is an answer', async () => {
  const asked = stubHub({
    ...hub(),
    topic_post: { message: samplePost(4, { reply_to: 'p3', sender: 'operator' }), duplicate: false },
  });
  show(<Topics />, '/topics?topic=t1');
  const question = await screen.findByRole('article', { name: /#3$/ });
  act(() => question.focus());
  await userEvent.keyboard('r');
  expect(screen.getByText(/Answers hazel: Text of p3/)).toBeTruthy();
  await userEvent.type(await field(), 'Yes{Control>}{Enter}{/Control}');
  await waitFor(() => expect(asked.of('topic_post')).toHaveLength(1));
  expect(asked.of('topic_post')[0]).toMatchObject({
    topic_id: 't1',
    content_markdown: 'Yes',
    message_type: 'answer',
    reply_to: 'p3',
  });
  expect(await screen.findByText('Text of p4')).toBeTruthy(); // before any event
  expect(localStorage.getItem('nexus.topic.t1')).toBeNull();
  expect(location.search).toContain('post=p4');
});

test('what could not be posted is kept, and trying again cannot post it twice', async () => {
  const asked = stubHub({ ...hub(), topic_post: refusal('TOPIC_CLOSED', 'Topic is closed.') });
  show(<Topics />, '/topics?topic=t1');
  await userEvent.type(await field(), 'Keep me');
  await userEvent.click(screen.getByRole('button', { name: 'Post' }));
  expect((await screen.findByRole('alert')).textContent).toContain('Topic is closed.');
  expect(((await field()) as HTMLTextAreaElement).value).toBe('Keep me');
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(asked.of('topic_post')).toHaveLength(2));
  const [first, second] = asked.of('topic_post');
  expect(first!.client_message_id).toBe(second!.client_message_id);
  await userEvent.type(await field(), ' and more{Control>}{Enter}{/Control}');
  await waitFor(() => expect(asked.of('topic_post')).toHaveLength(3));
  expect(asked.of('topic_post')[2]!.client_message_id).not.toBe(first!.client_message_id);
});

test('an event brings what was written, and takes what was deleted', async () => {
  stubHub(hub());
  show(<Topics />, '/topics?topic=t1');
  await screen.findByText('Text of p3');
  posts = [...posts.slice(0, 2), samplePost(4, { sender: 'mica' })];
  act(() => stale(['topic.posted']));
  expect(await screen.findByText('Text of p4', {}, { timeout: 3_000 })).toBeTruthy();
  expect(screen.queryByText('Text of p3')).toBeNull();
});

test('deleting says what goes with it', async () => {
  const asked = stubHub({
    ...hub(),
    topic_delete_messages: { status: 'deleted', deleted_count: 2, deleted_message_ids: ['p1', 'p2'] },
  });
  show(<Topics />, '/topics?topic=t1');
  const first = await screen.findByRole('article', { name: /#1$/ });
  act(() => first.focus());
  await userEvent.keyboard('x');
  expect(screen.getByText('1 post selected')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Delete…' }));
  expect(screen.getByText(/Replies go with what they answer.*1 more post here/)).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Delete 2 posts' }));
  await waitFor(() => expect(asked.of('topic_delete_messages')).toEqual([{ topic_id: 't1', message_ids: ['p1'] }]));
  await waitFor(() => expect(screen.queryByText('1 post selected')).toBeNull());
});

test('finding counts posts here and elsewhere, and goes from one to the next', async () => {
  const asked = stubHub({ ...hub(), messages_search: { results: [{ message_id: 'p0', seq: 0 }], count: 1 } });
  show(<Topics />, '/topics?topic=t1');
  await screen.findByText('Text of p3');
  await userEvent.click(screen.getByRole('button', { name: 'Find in this topic' }));
  const find = screen.getByRole('textbox', { name: 'Find in this topic' });
  await userEvent.type(find, 'TEXT of');
  expect(await screen.findByText('4 posts')).toBeTruthy();
  expect(asked.of('messages_search').at(-1)).toMatchObject({ query: '"text" "of"', topic_id: 't1' });
  await userEvent.type(find, '{Shift>}{Enter}{/Shift}');
  expect(await screen.findByText('4 of 4')).toBeTruthy();
  expect(screen.getByRole('article', { name: /#3$/ }).getAttribute('aria-current')).toBe('true');
  await userEvent.type(find, '{Shift>}{Enter}{/Shift}');
  expect(await screen.findByText('3 of 4')).toBeTruthy();
  await userEvent.type(find, '{Escape}');
  expect(location.search).toBe('?topic=t1');
});

test('a closed topic says why and takes no words', async () => {
  topic = sampleTopic({ status: 'closed', closed_at: 1_700_000_500, close_reason: 'Decided' });
  stubHub(hub());
  show(<Topics />, '/topics?topic=t1');
  expect(await screen.findByText(/: Decided\. It can be read/)).toBeTruthy();
  expect(screen.queryByRole('textbox', { name: 'Write a post' })).toBeNull();
});

test('a topic that is gone leads back', async () => {
  stubHub({ ...hub(), topic_look: refusal('TOPIC_NOT_FOUND', 'Topic not found.', { status: 404 }) });
  show(<Topics />, '/topics?topic=t1');
  await userEvent.click(await screen.findByRole('button', { name: 'Show all topics' }));
  expect(location.search).toBe('');
});

test('a new topic keeps what was typed until it is good', async () => {
  const asked = stubHub({
    ...hub(),
    observe_workspaces: { items: [{ workspace_id: 'w1', root_realpath: '/code/infra' }] },
    topic_create: { topic_id: 't3', name: 'New', status: 'open' },
  });
  show(<Topics />, '/topics?new=1');
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'New');
  const metadata = screen.getByRole('textbox', { name: 'Metadata' });
  await userEvent.type(metadata, '[[1]');
  expect(screen.getByText('Write an object: {"name": "value"}')).toBeTruthy();
  expect((screen.getByRole('button', { name: 'Open the topic' }) as HTMLButtonElement).disabled).toBe(true);
  await userEvent.clear(metadata);
  await userEvent.type(metadata, '{{"a":1}');
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Workspace' }), 'infra');
  await userEvent.click(screen.getByRole('button', { name: 'Open the topic' }));
  await waitFor(() =>
    expect(asked.of('topic_create')).toEqual([{ name: 'New', mode: 'reuse', project_root: '/code/infra', metadata: { a: 1 } }]),
  );
  expect(location.search).toBe('?topic=t3');
});
