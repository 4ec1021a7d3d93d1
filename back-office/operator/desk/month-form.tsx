import { businessDay, dayText } from '../../../src/kit/ethiopian-time.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DESK_TEXTS } from '../../i18n/texts.ts';
import { TextField } from '../../ui/fields.tsx';
import { useDesk } from './call.ts';

/** Asks for the file of a month. */
export function MonthForm(props: {
  readonly action: string;
  readonly hint: string;
  readonly button: string;
}) {
  const { action, hint, button } = props;
  return (
    <form class="filters" method="get" action={action}>
      <TextField
        id="month"
        label={useTexts(DESK_TEXTS).pages.month}
        hint={hint}
        value={monthBefore(useDesk().nowMs)}
      />
      <button type="submit">{button}</button>
    </form>
  );
}

/** The newest month of Addis Ababa that has ended. */
function monthBefore(nowMs: number): string {
  const today = businessDay(nowMs);
  const dayOfMonth = Number(dayText(today).slice(-2));
  return dayText(today - dayOfMonth).slice(0, 7);
}
