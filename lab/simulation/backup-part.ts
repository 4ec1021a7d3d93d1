import { hash } from 'node:crypto';

/**
 * Takes the place of `src/recovery/backup/part.ts` in the bundle, because streams that compress run in threads.
 * A part is its name and its lines, readable.
 */

export class UnreadablePart extends Error {
  override readonly name = 'UnreadablePart';
}

export async function sealPart(
  _keys: unknown,
  name: string,
  lines: readonly unknown[],
): Promise<Uint8Array> {
  return new TextEncoder().encode(`${name}\n${textOf(lines)}`);
}

export async function openPart(
  _keys: unknown,
  name: string,
  bytes: Uint8Array,
): Promise<readonly unknown[]> {
  const [first, ...lines] = new TextDecoder().decode(bytes).split('\n');
  if (first !== name) {
    throw new UnreadablePart(`${name} was damaged or renamed`);
  }
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

export async function digestOf(lines: readonly unknown[]): Promise<string> {
  return hash('sha256', textOf(lines));
}

function textOf(lines: readonly unknown[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
