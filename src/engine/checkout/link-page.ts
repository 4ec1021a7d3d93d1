import { h } from 'preact';
import type { Form } from '../../kit/http/form.ts';
import { Problem } from '../../kit/http/problem.ts';
import { clientNetwork, isWithinLimit } from '../../kit/http/rate-limit.ts';
import type { Handler } from '../../kit/http/router.ts';
import { majorFromMinor } from '../../kit/money.ts';
import { brandCss } from '../../kit/ui/brand.ts';
import { partHeaders, seeOther } from '../../kit/ui/headers.ts';
import { ownOriginOf } from '../api/call.ts';
import { createHostedOf, refusedSum } from '../api/routes/create-payment.ts';
import { checkoutUrlOf, receiptUrlOf } from '../attempts/order.ts';
import { type Config, configOf } from '../config.ts';
import { chargedMinor } from '../domain/terms.ts';
import { intentByUniqueId } from '../intent/client.ts';
import { type Choice, digestOf, fieldsOf, readChoice, TYPED_MAX } from '../links/choice.ts';
import {
  claimOf,
  type FormToken,
  hasWaited,
  LINK_PAYMENT_ID,
  newFormToken,
  paymentIdOf,
  readFormToken,
} from '../links/form-token.ts';
import { LINK_PAYMENT_SECONDS } from '../links/openings.ts';
import { closureOf, NOTE_KEY, type PaymentLink } from '../links/payment-link.ts';
import { type LinkName, verifySlug } from '../links/slug.ts';
import { type MerchantAccess, readTenantAccess } from '../merchants/access.ts';
import { merchantLogo } from '../merchants/logo.ts';
import { registerOf } from '../register/client.ts';
import { readForm } from './form.ts';
import { badFormPage, busyPage, unknownPage } from './notices.ts';
import { pageResponse } from './page-response.ts';
import { ClosedLinkPage, LINK_CSS, LinkPage, PaidLinkPage } from './pages/payment-link.tsx';
import { FOR_EVER } from './parts.ts';
import { FORM_PARAMETER } from './refused-form.ts';
import { type RefusedLinkForm, refusedLinkFormFrom, sealedLinkForm } from './refused-link-form.ts';

/**
 * /pay/{slug}: the page of a payment link (docs/links.md). The slug's MAC is checked before anything is
 * reached. Opening the page writes nothing; a submission makes an ordinary hosted payment.
 */

/** A request with a genuine slug, and what it leads to. */
interface SlugCall {
  readonly request: Request;
  readonly env: Env;
  readonly ctx: ExecutionContext;
  readonly config: Config;
  readonly params: Readonly<Record<string, string>>;
  readonly name: LinkName;
  /** `/pay/{slug}`. */
  readonly path: string;
  readonly nowMs: number;
}

interface LinkCall extends SlugCall {
  readonly link: PaymentLink;
  /** Null: the merchant is suspended or closed. */
  readonly seller: MerchantAccess | null;
}

/** Without its own limit, a link that thousands share would use up one that counts by slug. */
function behindSlug(
  answer: (call: SlugCall) => Promise<Response>,
  limiterOf: (env: Env) => RateLimit,
): Handler {
  return async (request, env, ctx, pathParams) => {
    const params = pathParams();
    const config = configOf(env);
    const slug = params.slug ?? '';
    const name = await verifySlug(config.linkSigningKeys, slug);
    if (name === null) {
      return unknownPage(request);
    }
    if (!(await isWithinLimit(config, limiterOf(env), `${name.code}/${clientNetwork(request)}`))) {
      return busyPage(request);
    }
    const nowMs = Date.now();
    return answer({ request, env, ctx, config, params, name, path: `/pay/${slug}`, nowMs });
  };
}

const opened = (answer: (call: SlugCall) => Promise<Response>) =>
  behindSlug(answer, (env) => env.CHECKOUT_RATE_LIMIT);

/** The link of the slug and its seller; null when the register has no such link. */
async function linkIn(call: SlugCall): Promise<LinkCall | null> {
  const { env, name } = call;
  const [link, seller] = await Promise.all([
    registerOf(env, name.tenant).linkOfCode(name.code),
    readTenantAccess(env, name.tenant),
  ]);
  return link && { ...call, link, seller };
}

/** GET /pay/{slug} */
export const showLink = opened(async (call) => {
  const found = await linkIn(call);
  if (found === null) {
    return unknownPage(call.request);
  }
  const { request, env, link } = found;
  const sealed = new URL(request.url).searchParams.get(FORM_PARAMETER);
  return linkPage(found, await refusedLinkFormFrom(env, link.code, sealed), sealed);
});

async function linkPage(
  call: LinkCall,
  refused: RefusedLinkForm | null,
  sealed: string | null,
): Promise<Response> {
  const { request, config, link, seller, path, nowMs } = call;
  const closure = seller === null ? 'off' : closureOf(link, nowMs);
  const shown = { link, seller, path, origin: ownOriginOf(call) };
  const options = optionsOf(call);
  if (closure !== null) {
    return pageResponse(request, h(ClosedLinkPage, { ...shown, closure }), {
      ...options,
      status: 410,
    });
  }
  const waitsFor = refused?.waitsFor ?? null;
  const token = await newFormToken(config.linkSigningKeys, link, nowMs, waitsFor);
  const query = sealed === null ? '' : `${FORM_PARAMETER}=${encodeURIComponent(sealed)}&`;
  return pageResponse(request, h(LinkPage, { ...shown, refused, token, query }), options);
}

/** POST /pay/{slug}: leads to the checkout of the payment, or back to the form. */
export const submitLink = behindSlug(
  async (call) => {
    const { request, env, config, name, path, nowMs } = call;
    const form = await readForm(request);
    if (form === null) {
      return badFormPage(request, path);
    }
    const token = await readFormToken(
      config.linkSigningKeys,
      name.code,
      form.get('form') ?? '',
      nowMs,
    );
    const found = await linkIn(call);
    if (found === null) {
      return unknownPage(request);
    }
    const { link, seller } = found;
    if (seller === null || closureOf(link, nowMs) !== null) {
      // The page says so.
      return seeOther(path);
    }
    const back = async (refused: Omit<RefusedLinkForm, 'typed'>): Promise<Response> => {
      const typed = typedIn(link, form);
      const sealed = await sealedLinkForm(env, link.code, { waitsFor: null, ...refused, typed });
      return seeOther(`${path}?${FORM_PARAMETER}=${encodeURIComponent(sealed)}`);
    };
    if (token === null || token.version !== link.version) {
      return back({ problems: {}, notice: token === null ? 'old' : 'changed' });
    }
    const result = readChoice(link, form);
    if (result.type === 'refused') {
      return back({ problems: result.problems, notice: null });
    }
    return pay({ ...found, seller }, token, result.choice, back);
  },
  (env) => env.LINK_SUBMISSION_RATE_LIMIT,
);

async function pay(
  call: LinkCall & { readonly seller: MerchantAccess },
  token: FormToken,
  choice: Choice,
  back: (refused: Omit<RefusedLinkForm, 'typed'>) => Promise<Response>,
): Promise<Response> {
  const { env, name, nowMs } = call;
  const digest = await digestOf(choice);
  const paymentId = await paymentIdOf(name.tenant, token, digest);
  const isPatient = hasWaited(token, digest, nowMs);
  const opening = await registerOf(env, name.tenant).openLink(name.code, isPatient);
  switch (opening?.type) {
    case 'taken':
      break;
    case 'wait':
      return back({ problems: {}, notice: 'wait', waitsFor: digest });
    default:
      return back({ problems: {}, notice: 'full' });
  }
  try {
    await createHostedOf(
      { ...call, access: call.seller },
      { value: bodyOf(call, paymentId, choice), idempotency: await claimOf(paymentId, digest) },
      {
        description: call.link.title,
        phone: localPhone(choice.answers.phone),
        ...(call.link.paymentsMax !== null && { countedLink: call.link.code }),
      },
    );
  } catch (error) {
    const refused = error instanceof Problem ? refusalOf(error) : null;
    if (refused === null) {
      throw error;
    }
    return back(refused);
  }
  const terms = { ...name.tenant, uniqueId: paymentId, baseUrl: ownOriginOf(call) };
  return seeOther(await checkoutUrlOf(env, { terms }));
}

/** What the page says about a refusal of the payment; null: nothing that the customer can read. */
function refusalOf(problem: Problem): Omit<RefusedLinkForm, 'typed'> | null {
  const sum = refusedSum(problem);
  if (sum !== null) {
    return { problems: { [sum.field]: { kind: sum.kind, limitMinor: null } }, notice: null };
  }
  return problem.code === 'maintenance' || problem.validationErrors !== null
    ? { problems: {}, notice: 'unavailable' }
    : null;
}

/** The body of POST …/intent that the link and the customer's choice make. */
function bodyOf(call: LinkCall, paymentId: string, { amountMinor, quantities, answers }: Choice) {
  const { link, config, path } = call;
  const items =
    link.price.kind === 'items'
      ? link.price.items.flatMap(({ name, description, type, priceMinor }, index) => {
          const quantity = quantities[index] ?? 0;
          return quantity === 0
            ? []
            : [{ name, description, type, price: majorFromMinor(priceMinor), quantity }];
        })
      : [];
  const { name, email, note } = answers;
  return {
    paymentIntentUniqueId: paymentId,
    paymentLinkUniqueId: link.id,
    amount: amountMinor === null ? null : majorFromMinor(amountMinor),
    items,
    currency: link.currency,
    methods: link.methods,
    splitPayment: link.splits.map(({ bank, creditAccount, type, value }) => ({
      bank,
      creditAccount,
      splitType: type === 'percentage' ? 'PERCENTAGE' : 'NUMBER',
      amount: majorFromMinor(value),
    })),
    commissionPaidByCustomer: link.commissionPaidByCustomer,
    returnUrl: link.returnUrl ?? `${ownOriginOf(call)}${path}/paid`,
    callbackUrl: link.callbackUrl,
    expireIn: Math.min(
      Math.max(LINK_PAYMENT_SECONDS, config.expireInSecondsMin),
      config.expireInSecondsMax,
    ),
    customerInfo: name === null && email === null ? null : { name, email },
    metadata: note === null ? link.metadata : { ...link.metadata, [NOTE_KEY]: note },
  };
}

/** 9 digits, as a hosted payment has them. */
function localPhone(phone: string | null): string | null {
  return phone?.slice(-9) ?? null;
}

/** What the form's page shows again, cut to what its fields take. */
function typedIn(link: PaymentLink, form: Form): Readonly<Record<string, string>> {
  const entries = fieldsOf(link).map((field) => {
    const max = TYPED_MAX[field as keyof typeof TYPED_MAX] ?? TYPED_MAX.quantity;
    return [field, form.text(field).slice(0, max)] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * GET /pay/{slug}/paid: where a customer returns to from the checkout. The parameters of the URL prove
 * nothing: the payment's object says whether it is paid.
 */
export const showPaid = opened(async (call) => {
  const { request, env, name, path } = call;
  const id = new URL(request.url).searchParams.get('paymentIntentUniqueId') ?? '';
  if (!LINK_PAYMENT_ID.test(id)) {
    return seeOther(path);
  }
  const client = await intentByUniqueId(env, name.tenant, id);
  const [intent, found] = await Promise.all([client.read(), linkIn(call)]);
  if (found === null) {
    return unknownPage(request);
  }
  const { link, seller } = found;
  if (intent === null || intent.terms.paymentLinkUniqueId !== link.id) {
    return seeOther(path);
  }
  if (intent.status !== 'succeeded') {
    // Under way: its own page knows more. Ended: the customer may begin again.
    return seeOther(intent.status === 'processing' ? await checkoutUrlOf(env, intent) : path);
  }
  const paid = intent.attempts.find((attempt) => attempt.id === intent.paidAttemptId);
  const { terms } = intent;
  return pageResponse(
    request,
    h(PaidLinkPage, {
      ...{ link, seller, path, origin: ownOriginOf(call), merchantName: terms.merchantName },
      amountMinor: paid === undefined ? terms.amountMinor : chargedMinor(terms, paid.method),
      currency: terms.currency,
      receiptUrl: await receiptUrlOf(env, intent, call.nowMs),
      isOpen: seller !== null && closureOf(link, call.nowMs) === null,
    }),
    optionsOf(found),
  );
});

/** GET /pay/{slug}/logo/{digest}: the merchant's logo of today, and no other. */
export const showLinkLogo = opened(async (call) => {
  const { request, env, name, params } = call;
  const seller = await readTenantAccess(env, name.tenant);
  const digest = seller?.branding?.logoDigest ?? null;
  const logo =
    digest === null || digest !== params.digest
      ? null
      : await merchantLogo(env, name.tenant.merchantId, digest);
  if (logo === null) {
    return unknownPage(request);
  }
  const headers = partHeaders();
  headers.set('content-type', logo.mediaType);
  headers.set('cache-control', FOR_EVER);
  return new Response(logo.bytes, { headers });
});

function optionsOf(call: LinkCall) {
  const css = brandCss(call.seller?.branding?.color ?? null) ?? '';
  return { formTargets: [ownOriginOf(call)], brandCss: css + LINK_CSS };
}
