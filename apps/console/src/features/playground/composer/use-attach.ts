import type { AskedFor } from '@switchyard/contract/playground/conversation';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../ui/feedback/notices.ts';
import { type Attachment, limitsOf, type Refusal, readAttachment } from './attachments.ts';

/** Returns the attachments of the next question; each kind of question keeps its own while another kind is chosen. */
export function useAttach(wanted: AskedFor) {
  const { t } = useTranslation('playground');
  const [all, setAll] = useState<Partial<Record<AskedFor, Attachment[]>>>({});
  // What was added while a file was read stays.
  const latest = useRef(all);
  const limits = limitsOf[wanted];
  const setAttached = (next: Attachment[]) => {
    latest.current = { ...latest.current, [wanted]: next };
    setAll(latest.current);
  };
  const add = async (files: readonly File[]) => {
    if (limits === undefined) return;
    let refusal: Refusal | undefined;
    try {
      for (const file of files) {
        const read = await readAttachment(file, limits);
        const attached = latest.current[wanted] ?? [];
        if (typeof read === 'string') refusal ??= read;
        else if (attached.some(({ data }) => data === read.data)) continue;
        else if (attached.length >= limits.most) refusal ??= 'tooManyFiles';
        else setAttached([...attached, read]);
      }
    } catch {
      notify('error', t('unreadable'));
    }
    if (refusal !== undefined)
      notify('warning', t(refusal, { most: limits.most, megabytes: limits.megabytes }));
  };
  return { limits, attached: all[wanted] ?? [], setAttached, add };
}
