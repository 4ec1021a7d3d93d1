import { vectorsHold } from '../support/rails/vectors.ts';

/** Goal: the rails' cryptography produces the published bytes in Node, beside OpenSSL's. */
vectorsHold();
