import { jsonReply, type Reply } from '../../../scripts/stand-ins/stand-in.ts';
import type { TelebirrH5StandIn } from '../../../scripts/stand-ins/telebirr-h5.ts';
import type { CallbackCall } from '../../../src/engine/rails/callback.ts';
import { callbackCall } from './callback-call.ts';
import { PLAYERS } from './players.ts';
import { RailScene } from './scene.ts';

/** No test waits for it: see `timeouts.ts`. */
export const CALL_TIMEOUT_MS = 10_000;

export type TelebirrScene = RailScene<TelebirrH5StandIn>;

export function telebirrScene(): Promise<TelebirrScene> {
  return RailScene.start({
    ...PLAYERS.telebirrH5,
    settings: { callTimeoutMs: CALL_TIMEOUT_MS },
  });
}

export function notification(body: string, contentType = 'application/json'): CallbackCall {
  return callbackCall({ headers: { 'content-type': contentType }, body });
}

export type Members = Readonly<Record<string, unknown>>;

/** telebirr's answer of success around this content. */
export function success(content: Members, changed: Members = {}): Reply {
  return jsonReply(200, {
    result: 'SUCCESS',
    code: '0',
    msg: 'success',
    biz_content: content,
    ...changed,
  });
}
