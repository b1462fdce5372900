import { fireEvent, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { giveRoom } from '@/testing/room';
import { Grid } from '.';

type Row = { id: string };
const many = Array.from({ length: 100_000 }, (_, i) => ({ id: `r${i}` }));
const columns = [{ title: 'Id', width: '1fr', cell: (row: Row) => row.id }];

beforeEach(() => giveRoom());

function show(rows: Row[], more: Partial<Parameters<typeof Grid<Row>>[0]> = {}) {
  return render(<Grid label="Rows" rows={rows} columns={columns} keyOf={(row) => row.id} empty={<p>Nothing yet</p>} {...more} />);
}

test('of many rows a few are drawn, and all are counted', () => {
  show(many);
  const grid = screen.getByRole('grid', { name: 'Rows' });
  expect(grid.getAttribute('aria-rowcount')).toBe('100001');
  expect(within(grid).getAllByRole('row').length).toBeLessThan(60);
});

test('nothing says what will be here', () => {
  show([]);
  expect(screen.getByText('Nothing yet')).toBeTruthy();
});

test('j, k and Enter', async () => {
  const onOpen = vi.fn();
  show(many.slice(0, 5), { onOpen });
  const user = userEvent.setup();
  const rows = screen.getAllByRole('row').slice(1);
  rows[0]!.focus();
  await user.keyboard('jjk');
  await new Promise(requestAnimationFrame);
  await user.keyboard('{Enter}');
  expect(onOpen).toHaveBeenCalledWith({ id: 'r1' });
});

test('x marks and takes the mark away', async () => {
  const onMark = vi.fn();
  const { rerender } = show(many.slice(0, 3), { marked: new Set(), onMark });
  screen.getAllByRole('row')[1]!.focus();
  await userEvent.keyboard('x');
  expect(onMark).toHaveBeenLastCalledWith(new Set(['r0']));
  rerender(
    <Grid
      label="Rows"
      rows={many.slice(0, 3)}
      columns={columns}
      keyOf={(row) => row.id}
      marked={new Set(['r0'])}
      onMark={onMark}
    />,
  );
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select r0' }));
  expect(onMark).toHaveBeenLastCalledWith(new Set());
});

test('the end of the list asks for more', () => {
  const onEnd = vi.fn();
  show(many.slice(0, 10), { onEnd });
  expect(onEnd).toHaveBeenCalled();
});
