/** For Node 18, which has no global `crypto`: esbuild puts it in the place of the global. */
export { webcrypto as crypto } from 'node:crypto';
