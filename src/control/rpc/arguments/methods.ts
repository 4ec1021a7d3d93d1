import { booleanField } from '../../../kit/http/fields.ts';
import { type AreaArguments, actorField, tenantField, typedField } from './fields.ts';

export const METHODS: AreaArguments<'methods'> = {
  standings: [tenantField],
  setEnabled: [tenantField, actorField, typedField, booleanField],
};
