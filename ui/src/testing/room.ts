import { vi } from 'vitest';

/** Gives everything a size. Nothing has one in tests, and a list draws only what is seen. */
export function giveRoom({ width = 1000, height = 640 } = {}) {
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(height);
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(width);
}
