import fc from 'fast-check';

/**
 * Properties draw the same values in every run of `npm test`: a change must not fail by a draw that
 * has nothing to do with it. `npm run lab -- simulate`, `npm run lab -- fuzz` and the long run of
 * `test/e2e/conformance.test.ts` look for new ones.
 */
fc.configureGlobal({ seed: 42 });
