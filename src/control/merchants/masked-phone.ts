import { idWithoutPhone, maskedPhone } from '../../engine/domain/phone.ts';
import type { ExportedPayment } from '../../lists/book/reader.ts';

/** The row with only the last digits of the customer's phone, which a reference may contain too. */
export function withMaskedPhone({ details, ...row }: ExportedPayment): ExportedPayment {
  const { phone, providerReference } = details;
  const reference = idWithoutPhone(providerReference ?? null, phone ?? null);
  const { providerReference: _, ...others } = details;
  return {
    ...row,
    details: {
      ...others,
      ...(reference !== null && { providerReference: reference }),
      ...(phone !== undefined && { phone: maskedPhone(phone) }),
    },
  };
}
