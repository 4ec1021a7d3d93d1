import * as v from 'valibot';
import { type AreaArguments, actorField, namedTexts, typedField } from './fields.ts';

/** More than an isolate refuses in the minute between two reports. */
const REFUSED_MAX = 1_000_000;

export const ALERTS: AreaArguments<'alerts'> = {
  refuseSignIns: [
    v.picklist(['operators', 'members']),
    v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(REFUSED_MAX)),
  ],
  state: [],
  test: [actorField, namedTexts(v.optional(typedField))],
};
