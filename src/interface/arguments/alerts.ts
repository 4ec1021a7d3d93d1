import * as v from 'valibot';
import { type AreaArguments, actorField, namedTexts, typedField } from './fields.ts';

export const ALERTS: AreaArguments<'alerts'> = {
  state: [],
  test: [actorField, namedTexts(v.optional(typedField))],
};
