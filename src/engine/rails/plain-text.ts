/**
 * A text in ASCII, for a provider that documents no other: letters lose their accents, and each run
 * of `others` becomes a space.
 */
export function plainAscii(text: string, others: RegExp): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(others, ' ')
    .trim();
}
