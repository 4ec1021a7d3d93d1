import { newShop as heyApi } from './hey-api.ts';
import { newShop as openapiTypescript } from './openapi-typescript.ts';
import { newShop as orval } from './orval.ts';

export const SHOPS = {
  'openapi-typescript': openapiTypescript,
  '@hey-api/openapi-ts': heyApi,
  orval,
};
