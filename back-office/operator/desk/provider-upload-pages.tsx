import { FILE_BYTES_MAX } from '../../../src/control/provider-files/file-table.ts';
import { SETTLED } from '../../../src/control/provider-files/judge.ts';
import type { Preview, PreviewedLine, ProviderFile } from '../../../src/control/rpc/operator.ts';
import { base64FromBytes } from '../../../src/kit/crypto/encoding.ts';
import { found, Problem } from '../../../src/kit/http/problem.ts';
import { partsOf } from '../../../src/kit/http/upload.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { useOperatorText } from '../../elements/operator-text.ts';
import { DESK_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import {
  Badge,
  ButtonLink,
  Facts,
  Fold,
  Message,
  Table,
  Untrusted,
  When,
} from '../../ui/elements.tsx';
import { Field, SelectField } from '../../ui/fields.tsx';
import { Money } from '../../ui/figures.tsx';
import { type DeskCall, useDesk } from './call.ts';
import { answerDesk, Frame } from './frame.tsx';
import { paymentPath, providerPath } from './paths.ts';
import { deskProblem } from './problem-page.tsx';
import { useMethod, useProblemText } from './provider-files-page.tsx';

const MEBIBYTE = 1_024 * 1_024;

/** The query parameter with the field that was wrong. */
const WRONG = 'wrong';

/** GET …/upload: asks for a file. */
export async function showUploadPage(call: DeskCall): Promise<Response> {
  const profiles = await call.payments.operator.providerProfiles(call.params);
  return answerDesk(call, <UploadPage profiles={profiles.map(({ name }) => name)} />);
}

function UploadPage({ profiles }: { readonly profiles: readonly string[] }) {
  const { url, token } = useDesk();
  const text = useTexts(DESK_TEXTS).pages;
  const own = text.providerUpload;
  const { path, name } = useMethod();
  const wrong = url.searchParams.get(WRONG);
  const [first = ''] = profiles;
  return (
    <Frame
      active="providerFiles"
      title={own.upload}
      head={{ back: { to: path, text: name }, lead: own.uploadLead }}
    >
      {profiles.length === 0 ? (
        <Message tone="warning">
          <p>{own.noProfiles}</p>
          <p>
            <ButtonLink to={`${path}/profiles`}>{own.profiles}</ButtonLink>
          </p>
        </Message>
      ) : (
        // The file comes last: what is before it is read first.
        <form class="form" method="post" enctype="multipart/form-data" data-once="">
          <input type="hidden" name="csrf" value={token} />
          <SelectField
            id="profile"
            label={own.profile}
            options={[['', text.choose], ...profiles.map((one) => [one, one] as const)]}
            selected={profiles.length === 1 ? first : ''}
            error={wrong === 'profile' ? own.wrong.profile : null}
          />
          <Field
            id="file"
            label={own.file}
            hint={own.fileHint(FILE_BYTES_MAX / MEBIBYTE)}
            error={wrong === 'file' ? own.wrong.file : null}
          >
            {(attributes) => <input type="file" name="file" required {...attributes} />}
          </Field>
          <RecordedAs />
          <div class="buttons">
            <button type="submit" class="primary">
              {own.toPreview}
            </button>
            <ButtonLink to={path}>{text.cancel}</ButtonLink>
          </div>
        </form>
      )}
    </Frame>
  );
}

/** Under which name a change is in the audit log. */
export function RecordedAs() {
  const { actor } = useDesk();
  return (
    <p class="hint">
      {useTexts(DESK_TEXTS).pages.recordedAs}{' '}
      <bdi>{useOperatorText(actor.name, actor.isProved === true, actor.provedBy)}</bdi>
    </p>
  );
}

/** POST …/upload: passes the file on in pieces. It is an unfinished upload until it is confirmed. */
export async function uploadFromDesk(call: DeskCall): Promise<Response> {
  const { payments, actor, params, form, file } = call;
  const { name, bytes } = found(file ?? null);
  const { environment = '', method = '' } = params;
  const path = `${providerPath(environment, method)}/upload`;
  const profile = form.text('profile');
  if (profile === '' || name === '') {
    return redirectTo(`${path}?${WRONG}=${profile === '' ? 'profile' : 'file'}`);
  }
  try {
    const { beginProviderFile, uploadProviderPiece } = payments.operator;
    const { fileId, pieceBytes } = await beginProviderFile(actor, params, { name, profile });
    let number = 0;
    for await (const part of partsOf(bytes, pieceBytes)) {
      if (number * pieceBytes + part.length > FILE_BYTES_MAX) {
        return deskProblem(call.request, { status: 413, headers: {} });
      }
      const piece = { number, base64: base64FromBytes(part) };
      await uploadProviderPiece(actor, { ...params, fileId }, piece);
      number += 1;
    }
    return redirectTo(number === 0 ? `${path}?${WRONG}=file` : `${path}/${fileId}`);
  } catch (error) {
    if (error instanceof Problem && error.code === 'provider_profile_unknown') {
      return redirectTo(`${path}?${WRONG}=profile`);
    }
    if (error instanceof Problem && error.validationErrors?.name !== undefined) {
      return redirectTo(`${path}?${WRONG}=file`);
    }
    throw error;
  }
}

/**
 * GET …/upload/:fileId: what the first lines would become. Only the upload leads here, so a file whose
 * upload broke off is never confirmed.
 */
export async function showPreviewPage(call: DeskCall): Promise<Response> {
  const { payments, actor, params } = call;
  const file = await payments.operator.providerFile(params);
  if (file.status !== 'uploading') {
    return redirectTo(methodPath(call));
  }
  const { environment = '', method = '', fileId } = params;
  const preview = await payments.operator.previewProviderFile(
    actor,
    { environment, method },
    { fileId },
  );
  return answerDesk(call, <PreviewPage file={file} preview={preview} />);
}

/** POST …/upload/:fileId: the file is read. */
export async function confirmFromDesk(call: DeskCall): Promise<Response> {
  await call.payments.operator.finishProviderFile(call.actor, call.params, {});
  return redirectTo(methodPath(call), { done: 'provider_file_reading' });
}

function methodPath({ params }: DeskCall): string {
  return providerPath(found(params.environment), found(params.method));
}

function PreviewPage(props: { readonly file: ProviderFile; readonly preview: Preview }) {
  const { file, preview } = props;
  const { rows, lines, problem } = preview;
  const { token } = useDesk();
  const text = useTexts(DESK_TEXTS).pages;
  const own = text.providerUpload;
  const { path, name } = useMethod();
  return (
    <Frame
      active="providerFiles"
      title={own.previewTitle}
      head={{ back: { to: `${path}/upload`, text: own.upload }, lead: own.previewLead }}
    >
      <Facts
        rows={[
          [own.file, <Untrusted text={file.name} />],
          [own.profile, <Untrusted text={file.profile} />],
          [text.method, name],
        ]}
      />
      {problem !== null && <PreviewProblem problem={problem} profile={file.profile} />}
      {problem === null && (
        <>
          <Table
            caption={own.previewTitle}
            columns={[
              own.line,
              { title: text.amount, kind: 'figures' },
              { title: own.fee, kind: 'figures' },
              text.when,
              text.receipt,
              text.state,
            ]}
            rows={lines.map(useLineCells)}
            empty={own.previewNone}
          />
          <form class="form" method="post" data-once="">
            <input type="hidden" name="csrf" value={token} />
            <RecordedAs />
            <div class="buttons">
              <button type="submit" class="primary">
                {own.confirm}
              </button>
              <ButtonLink to={path}>{text.cancel}</ButtonLink>
            </div>
          </form>
        </>
      )}
      <Fold summary={own.rows} isOpen={problem !== null}>
        <ol class="small">
          {rows.map((cells) => (
            <li>
              <Untrusted text={cells.join(' | ')} />
            </li>
          ))}
        </ol>
      </Fold>
    </Frame>
  );
}

function PreviewProblem(props: {
  readonly problem: NonNullable<Preview['problem']>;
  readonly profile: string;
}) {
  const own = useTexts(DESK_TEXTS).pages.providerUpload;
  const { path } = useMethod();
  return (
    <Message tone="bad">
      <p>
        {useProblemText(props.problem)} {own.refusedHint}
      </p>
      <p>
        <ButtonLink to={`${path}/profiles/${encodeURIComponent(props.profile)}`}>
          {own.changeProfile}
        </ButtonLink>
      </p>
    </Message>
  );
}

/** The cells of a line. */
function useLineCells(line: PreviewedLine) {
  const text = useTexts(DESK_TEXTS).pages;
  const { environment } = useMethod();
  const { type, amountMinor, feeMinor, currency, receipt, reference, outcome } = line;
  const { merchantId, uniqueId } = line;
  return [
    type === 'refund' ? `${line.line}, ${text.providerUpload.refund}` : line.line,
    <Money minor={amountMinor} currency={currency} />,
    feeMinor === null ? null : <Money minor={feeMinor} currency={currency} />,
    <When atMs={line.atMs} />,
    <Untrusted text={receipt ?? reference ?? ''} />,
    <span>
      <Badge tone={SETTLED.includes(outcome) ? 'good' : 'bad'}>
        {text.providerBoard.outcomes[outcome]}
      </Badge>
      {merchantId !== null && uniqueId !== null && (
        <span class="small">
          <br />
          <a class="id" href={paymentPath({ environment, merchantId, uniqueId })}>
            <Untrusted text={uniqueId} />
          </a>
        </span>
      )}
    </span>,
  ];
}
