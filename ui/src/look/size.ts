// Amounts of bytes as people say them.

const units = ['B', 'KB', 'MB', 'GB', 'TB'];

/** How much so many bytes are, in one unit: 0 B, 133 B, 1.4 KB, 12 MB. */
export function size(bytes: number): string {
  let left = Math.max(0, bytes);
  let unit = 0;
  while (left >= 999.5 && unit < units.length - 1) {
    left /= 1024;
    unit++;
  }
  const digits = unit > 0 && left < 9.95 ? 1 : 0;
  return `${left.toFixed(digits).replace(/\.0$/, '')} ${units[unit]}`;
}
