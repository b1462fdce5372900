// For tests: topics and posts as the hub tells them.

import type { Post, Topic } from '@/things/topic/words';

export const sampleTopic = (more: Partial<Topic> = {}): Topic => ({
  topic_id: 't1',
  name: 'Leases',
  status: 'open',
  created_at: 1_700_000_000,
  closed_at: null,
  close_reason: null,
  metadata: null,
  workspace_id: null,
  message_count: 3,
  last_seq: 3,
  last_updated_at: 1_700_000_100,
  ...more,
});

export const samplePost = (seq: number, more: Partial<Post> = {}): Post => ({
  message_id: `p${seq}`,
  topic_id: 't1',
  seq,
  sender: 'hazel',
  message_type: 'message',
  reply_to: null,
  content_markdown: `Text of p${seq}`,
  metadata: null,
  client_message_id: null,
  created_at: 1_700_000_000 + seq * 1000,
  ...more,
});
