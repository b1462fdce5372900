import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { Count, Facts, Section, Thread } from '.';

test('a section has its heading below that of the thing', () => {
  render(
    <Section title="State" aside="4:12 left">
      inside
    </Section>,
  );
  expect(screen.getByRole('heading', { level: 3, name: 'State' })).toBeTruthy();
  expect(screen.getByText('4:12 left')).toBeTruthy();
});

test('facts that are blank are left out; zero is a fact', () => {
  render(
    <Facts
      facts={[
        ['Name', 'cobalt'],
        ['Attempt', 0],
        ['Role', ''],
        ['Lease', null],
        ['Host', undefined],
        ['Person', false],
      ]}
    />,
  );
  expect(screen.getAllByRole('term').map((term) => term.textContent)).toEqual(['Name', 'Attempt']);
});

test('no facts, no list', () => {
  const { container } = render(<Facts facts={[['Role', '']]} />);
  expect(container.innerHTML).toBe('');
});

test('a thread keeps the order it is given', () => {
  render(
    <Thread
      knots={[
        { key: 2, glyph: null, what: 'completed', why: 'All tests pass.', when: '4 s' },
        { key: 1, glyph: null, what: 'claimed', when: '1 h' },
      ]}
    />,
  );
  expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual(['completedAll tests pass.4 s', 'claimed1 h']);
});

test('a count leads somewhere, or is only a number', async () => {
  const follow = vi.fn();
  const { rerender } = render(<Count value={3} word="messages" onClick={follow} />);
  await userEvent.click(screen.getByRole('button', { name: /3\s*messages/ }));
  expect(follow).toHaveBeenCalledOnce();
  rerender(<Count value={3} word="messages" />);
  expect(screen.queryByRole('button')).toBeNull();
});
