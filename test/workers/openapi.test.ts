import { expect, test } from 'vitest';
import { openApiDocument } from '../../scripts/openapi/document.ts';
import { apiRouter } from '../../src/api/router.ts';

test('the OpenAPI document has every call of the API and no other', () => {
  const documented = Object.entries(openApiDocument('1.0.0').paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const routed = apiRouter.routes
    // A HEAD is a GET whose body the runtime drops.
    .filter(([method]) => method !== 'HEAD')
    .map(([method, , , path = '']) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
  expect(documented.sort()).toEqual(routed.sort());
});
