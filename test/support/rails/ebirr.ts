import { readFileSync } from 'node:fs';

/** The text of one of the published samples in `test/fixtures`. */
export function ebirrSample(name: string): string {
  return readFileSync(new URL(`../../fixtures/rails/ebirr/${name}.json`, import.meta.url), 'utf8');
}

/** Bodies of the maximum size that would slow down a careless parser, each with its name. */
export function hostileBodies(reference: string): readonly (readonly [string, string])[] {
  const report = (members: object) => JSON.stringify({ referenceId: reference, ...members });
  return [
    ['nesting', '['.repeat(65_536)],
    ['nested objects', '{"params":'.repeat(6_500)],
    ['digits', report({ txAmount: '9'.repeat(65_000) })],
    ['zeros', report({ txAmount: `1.1${'0'.repeat(65_000)}1` })],
    ['time-outs', report({ errorCode: 'E10205', responseMsg: 'time '.repeat(13_000) })],
    ['blanks', report({ errorCode: '5309', responseMsg: ' '.repeat(65_000) })],
    ['reference', report({ referenceId: reference.repeat(3_000) })],
    ['members', `{${'"a":1,'.repeat(10_000)}"b":1}`],
    ['bytes that are not text', '\uFFFF'.repeat(20_000)],
  ];
}
