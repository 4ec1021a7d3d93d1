import { vectorsHold } from '../../support/rails/vectors.ts';

/**
 * Goal: the rails' cryptography produces the published bytes in workerd. The same vectors hold in
 * Node (`test/rails/vectors.test.ts`), whose Web Crypto is another implementation.
 */
vectorsHold();
