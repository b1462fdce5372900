// Files that become artifacts: text, and not too much of it.

/** How much the hub takes inline. */
const most = 64 * 1024;

/** What kind of artifact a name suggests. */
export function kindOfFile(name: string): 'markdown' | 'json' | 'text' {
  if (/\.(md|markdown)$/i.test(name.trim())) return 'markdown';
  return /\.json$/i.test(name.trim()) ? 'json' : 'text';
}

/** Why a text cannot be attached, if it is too long. */
export function tooLarge(text: string): string | undefined {
  const size = new TextEncoder().encode(text).length;
  return size > most ? sizeWords(size) : undefined;
}

const sizeWords = (size: number) =>
  `This has ${Math.ceil(size / 1024)} KB, and 64 fit. Put the file into the project and attach its path with artifact_put.`;

/** The text of a file, or why there is none. */
export async function readText(file: File): Promise<{ text?: string; why?: string }> {
  if (file.size > most) return { why: sizeWords(file.size) };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    return text.includes('\0') ? { why: `${file.name} is not text.` } : { text };
  } catch {
    return { why: `${file.name} is not text.` };
  }
}
