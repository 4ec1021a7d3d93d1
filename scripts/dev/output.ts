import { Transform } from 'node:stream';

/** workerd cannot resolve the host of a request; it does not say which. */
const UNKNOWN_HOST = /failed to lookup address information|DNS lookup failed/;
const STACK = /^\s*stack: .*workerd/;

/** What wrangler writes about errors, without workerd's stacks of addresses, and each in one line. */
export function withoutStacks(): Transform {
  let rest = '';
  let isBlank = false;
  const shown = (line: string): string => {
    const wasBlank = isBlank;
    isBlank = line.trim() === '';
    if (STACK.test(line) || (isBlank && wasBlank)) {
      isBlank = true;
      return '';
    }
    return UNKNOWN_HOST.test(line)
      ? 'A request failed: the host of its address, such as a callbackUrl, is unknown.\n'
      : `${line}\n`;
  };
  return new Transform({
    transform(chunk, _encoding, done) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      done(null, lines.map(shown).join(''));
    },
    flush(done) {
      done(null, rest);
    },
  });
}
