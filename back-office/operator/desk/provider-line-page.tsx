import { ARRIVED, SETTLED } from '../../../src/control/provider-files/judge.ts';
import type { KnownPaymentDetails, ProviderLine } from '../../../src/control/rpc/operator.ts';
import { Problem } from '../../../src/kit/http/problem.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DESK_TEXTS } from '../../i18n/texts.ts';
import {
  ButtonLink,
  type FactRow,
  Facts,
  Section,
  Untrusted,
  untrustedRow,
  WhenExactly,
} from '../../ui/elements.tsx';
import { Money } from '../../ui/figures.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import { type DeskCall, type Shown, useDesk } from './call.ts';
import { answerDesk, Frame } from './frame.tsx';
import { type PaymentName, paymentPath, providerLinePath, providerLinesPath } from './paths.ts';
import { useMayRecordPaid } from './payment-attempts.tsx';
import { useAttemptFacts, usePaymentFacts } from './payment-facts.tsx';
import { PaymentSearch, readSearch } from './payments-page.tsx';
import { nameOf, OutcomeMarks } from './provider-lines-page.tsx';

/** Of the form that records an attempt as paid: the key of the line whose receipt fills it. */
export const LINE_PARAMETER = 'line';

type Payment = KnownPaymentDetails['intent'];

/** GET …/line/:key: what the file says beside what Kefel has, and what can be decided. */
export async function showLinePage(call: DeskCall): Promise<Response> {
  const line = await namedLine(call);
  const payment = await paymentOfLine(call, line);
  return answerDesk(call, <LinePage line={line} payment={payment} />);
}

function namedLine({ payments, params }: DeskCall): Promise<ProviderLine> {
  return payments.operator.providerLine(params, params.key ?? '');
}

/** Null: the line has none, or it was deleted. */
async function paymentOfLine(
  { payments, params }: DeskCall,
  { merchantId, uniqueId }: ProviderLine,
): Promise<Payment | null> {
  if (merchantId === null || uniqueId === null) {
    return null;
  }
  const target = { environment: params.environment ?? '', merchantId, uniqueId };
  try {
    return (await payments.operator.paymentDetails(target)).intent;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) {
      return null;
    }
    throw error;
  }
}

interface Props {
  readonly line: ProviderLine;
  readonly payment: Payment | null;
}

function LinePage({ line, payment }: Props) {
  const { environment = '', method = '' } = useDesk().params;
  const { pages: text } = useTexts(DESK_TEXTS);
  const own = text.providerLine;
  const day = line.key.slice(0, 'YYYY-MM-DD'.length);
  return (
    <Frame
      active="providerFiles"
      title={nameOf(line)}
      head={{
        back: { to: providerLinesPath(environment, method, { from: day, to: day }), text: day },
      }}
    >
      <p>{own.isFinding}</p>
      <div class="cards">
        <Section id="file" title={own.inFile}>
          <Facts rows={useLineFacts(line)} />
        </Section>
        <Section id="kefel" title={own.inKefel}>
          {payment === null ? (
            <p>{line.uniqueId === null ? own.noPayment : own.gone}</p>
          ) : (
            <KefelFacts payment={payment} />
          )}
        </Section>
      </div>
      <LineActions line={line} payment={payment} />
    </Frame>
  );
}

/** The payment, and its last attempt by the file's method. */
function KefelFacts({ payment }: { readonly payment: Payment }) {
  const { method } = useDesk().params;
  const text = useTexts(DESK_TEXTS).pages;
  const attempt = payment.attempts.findLast((one) => one.method === method);
  const link = (
    <a class="clipped" href={paymentPath(payment.terms)}>
      <Untrusted text={payment.terms.uniqueId} />
    </a>
  );
  return (
    <Facts
      rows={[
        [text.payment, link],
        ...usePaymentFacts(payment).slice(1),
        ...(attempt === undefined ? [] : useAttemptFacts(payment, attempt)),
      ]}
    />
  );
}

/** Links to the questions that the line allows. */
function LineActions({ line, payment }: Props) {
  const { environment = '', method = '' } = useDesk().params;
  const text = useTexts(DESK_TEXTS).pages;
  const own = text.providerLine;
  const mayRecordPaid = useMayRecordPaid(environment);
  const { outcome, decision, isAssigned, fileId, key, receipt, reference } = line;
  const path = (rest: string) => providerLinePath(environment, method, key, rest);
  const isOpen = decision === null && !SETTLED.includes(outcome);
  const attempts =
    outcome === 'not_paid' && receipt !== null
      ? (payment?.attempts.filter((one) => one.method === method && one.status !== 'succeeded') ??
        [])
      : [];
  const named = attempts.filter((one) => one.reference === reference);
  return (
    <>
      {attempts.length > 0 && !mayRecordPaid && <p class="hint">{text.paidNeedsName}</p>}
      <div class="buttons">
        {mayRecordPaid &&
          payment !== null &&
          (named.length > 0 ? named : attempts).map((attempt) => (
            <ButtonLink
              to={`${paymentPath(payment.terms, `/attempts/${attempt.reference}/paid`)}?${new URLSearchParams({ [LINE_PARAMETER]: key })}`}
            >
              {own.recordPaid}
              {attempts.length > 1 && ` (${attempt.reference})`}
            </ButtonLink>
          ))}
        {isOpen && <ButtonLink to={path('/accept')}>{text.acceptLine}</ButtonLink>}
        {isOpen && outcome !== 'missing' && !ARRIVED.includes(outcome) && (
          <ButtonLink to={path('/not-ours')}>{text.lineNotOurs}</ButtonLink>
        )}
        {isOpen && outcome !== 'missing' && (
          <ButtonLink to={path('/assign')}>{own.assign}</ButtonLink>
        )}
        {(decision !== null || isAssigned || (isOpen && fileId !== null)) && (
          <ButtonLink to={path('/undo')}>{text.undoLine}</ButtonLink>
        )}
      </div>
    </>
  );
}

/** GET …/line/:key/assign: the search for the payment that the line is about. */
export async function showAssignPage(call: DeskCall): Promise<Response> {
  const [line, search] = await Promise.all([namedLine(call), readSearch(call)]);
  return answerDesk(call, <AssignPage line={line} search={search} />);
}

function AssignPage(props: {
  readonly line: ProviderLine;
  readonly search: Awaited<ReturnType<typeof readSearch>>;
}) {
  const { line, search } = props;
  const { environment = '', method = '' } = useDesk().params;
  const own = useTexts(DESK_TEXTS).pages.providerLine;
  const { found } = search;
  const pathTo = ({ merchantId, uniqueId }: PaymentName) =>
    providerLinePath(
      environment,
      method,
      line.key,
      `/assign/${merchantId}/${encodeURIComponent(uniqueId)}`,
    );
  return (
    <Frame
      active="providerFiles"
      title={own.assign}
      head={{
        back: { to: providerLinePath(environment, method, line.key), text: nameOf(line) },
      }}
    >
      <p>{own.assignLead}</p>
      <Section id="file" title={own.inFile}>
        <Facts rows={useLineFacts(line)} />
      </Section>
      <PaymentSearch
        {...search}
        found={
          found && { ...found, rows: found.rows.filter((row) => row.environment === environment) }
        }
        pathTo={pathTo}
      />
    </Frame>
  );
}

/** What a decision is about: the line, and the payment that it is assigned to. */
export async function readLine(call: DeskCall): Promise<Shown> {
  const line = await namedLine(call);
  const isAssigning = call.params.merchantId !== undefined;
  const payment = isAssigning
    ? (await call.payments.operator.paymentDetails(call.params)).intent
    : null;
  return {
    useFacts: () => [
      ...useLineFacts(line),
      ...(payment === null
        ? [untrustedRow(useTexts(DESK_TEXTS).pages.payment, line.uniqueId)]
        : usePaymentFacts(payment)),
    ],
    values: { seen: line.state },
  };
}

/** The receipt of a line about the payment that the address names. */
export async function receiptOfLine(
  { payments, params }: DeskCall,
  method: string,
  key: string,
): Promise<string | undefined> {
  const { environment = '', merchantId, uniqueId } = params;
  const line = await payments.operator.providerLine({ environment, method }, key);
  const isOwn = line.merchantId === merchantId && line.uniqueId === uniqueId;
  return isOwn ? (line.receipt ?? undefined) : undefined;
}

function useLineFacts(line: ProviderLine): readonly FactRow[] {
  const text = useTexts(DESK_TEXTS).pages;
  const own = text.providerLine;
  const { currency, decision, fileId } = line;
  const money = (label: string, minor: number | null): FactRow =>
    minor === null ? null : [label, <Money minor={minor} currency={currency} />];
  return [
    [text.providerBoard.outcome, <OutcomeMarks line={line} />],
    fileId === null ? [own.inFile, own.noLine] : [text.kind, own.types[line.type]],
    money(fileId === null ? text.charged : own.amount, line.amountMinor),
    money(own.shouldBe, line.expectedMinor),
    money(own.fee, line.feeMinor),
    money(own.net, line.netMinor),
    untrustedRow(text.receipt, line.receipt),
    untrustedRow(text.reference, line.reference),
    [text.when, <WhenExactly atMs={line.atMs} />],
    fileId === null ? null : [own.number, line.line],
    line.isAssigned ? [own.assigned, text.yes] : null,
    decision && [
      own.decisions[decision.type],
      <>
        <bdi>{shownText(decision.operator)}</bdi>, <WhenExactly atMs={decision.atMs} />
      </>,
    ],
    decision && [text.why, <bdi>{shownText(decision.reason)}</bdi>],
  ];
}
