import { garbled } from '../../errors/answer-errors.ts';

/** Of dialects whose answer is the sound itself: it passes unread. @throws UpstreamError `garbled` */
export function noDecoding(): never {
  throw garbled('The upstream sent something else than sound.');
}
