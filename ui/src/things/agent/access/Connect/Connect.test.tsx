import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { held, refusal, show, stubHub } from '@/testing/hub';
import { Connect } from '.';

const codex = {
  id: 'codex',
  title: 'Codex',
  file: '~/.codex/config.toml',
  transport: 'http',
  snippet: 'Authorization = "Bearer {{api_key}}"',
  command: 'NEXUS_API_KEY={{api_key}} nexus connect codex --write',
  next: 'Start codex anew.',
};

test('the key is put into the snippet in the page and goes nowhere', async () => {
  const asked = stubHub({ connect: { items: [codex] } });
  show(<Connect agentId="wren" apiKey="nxs_abc" />);
  await waitFor(() => screen.getByText('Authorization = "Bearer nxs_abc"'));
  screen.getByText('NEXUS_API_KEY=nxs_abc nexus connect codex --write');
  expect(asked.all.map(([name]) => name)).toEqual(['connect']);
  expect(JSON.stringify(asked.all) + held()).not.toContain('nxs_abc');
});

test('a key that is not known any more is only hinted at', async () => {
  stubHub({ connect: { items: [{ ...codex, file: null, command: null }] } });
  show(<Connect agentId="wren" />);
  await waitFor(() => screen.getByText('Authorization = "Bearer nxs_…"'));
  screen.getByText('Where your host keeps its MCP servers');
});

test('a hub without snippets names the command', async () => {
  stubHub({ connect: refusal('NOT_FOUND', 'There is none.', { status: 404 }) });
  show(<Connect agentId="wren" />);
  await waitFor(() => screen.getByText(/nexus connect claude-code .*--agent wren/));
});
