import Button from '@mui/material/Button';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../../../i18n/use-language.ts';
import { notify } from '../../../ui/feedback/notices.ts';
import { PAUSE_SECONDS, useCountdown } from '../../../ui/format/use-countdown.ts';
import { useFieldRules } from './field-rules.ts';
import type { useHumanCheck } from './human-check.tsx';
import { signUpClient } from './queries.ts';

interface SendCodeProps {
  email: string;
  human: ReturnType<typeof useHumanCheck>;
  /** The address is none. */
  onWrong: (sentence: string) => void;
  onRefused: (error: unknown) => void;
}

/** Asks for a mail with a code, then counts down until it may be asked again. */
export function SendCode({ email, human, onWrong, onRefused }: SendCodeProps) {
  const { t } = useTranslation('sign-up');
  const rules = useFieldRules();
  const language = useLanguage();
  const [left, start] = useCountdown();
  const [sending, setSending] = useState(false);
  const ask = async () => {
    const wrong = rules.email(email);
    if (wrong !== undefined) return onWrong(wrong);
    if (human.isMissing) return notify('warning', t('checkWaits'));
    setSending(true);
    try {
      const client = await signUpClient();
      await client.sendCode({ query: { email: email.trim(), language, ...human.take() } });
      start(PAUSE_SECONDS);
      notify('info', t('codeSent'));
    } catch (error) {
      onRefused(error);
    }
    setSending(false);
  };
  return (
    <Button
      size="small"
      disabled={left > 0}
      loading={sending}
      onClick={() => void ask()}
      sx={{ flexShrink: 0, whiteSpace: 'nowrap' }}
    >
      {left > 0 ? t('sendAgainIn', { seconds: left }) : t('sendCode')}
    </Button>
  );
}
