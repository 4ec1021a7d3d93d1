/** FNV-1a, 32 bits. */
export function hashOf(text: string, start = 0x811c9dc5): number {
  let hash = start;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash;
}
