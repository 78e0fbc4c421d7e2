import Box from '@mui/material/Box';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../../../i18n/use-language.ts';
import { FormError } from '../../../ui/feedback/form-error.tsx';
import { useSite } from '../../site/site/queries.ts';
import { loadTurnstile } from './turnstile.ts';

type Action = 'register' | 'reset';

/** The check that a person sits here, where the site wants it. A token is good for one call. */
export function useCaptcha(action: Action) {
  const site = useSite();
  const [token, setToken] = useState('');
  const [round, setRound] = useState(0);
  const isOn = site?.turnstile_check === true;
  return {
    isMissing: isOn && token === '',
    /** The token for a call; the next check begins. */
    take: (): { turnstile?: string } => {
      setToken('');
      setRound((before) => before + 1);
      return token === '' ? {} : { turnstile: token };
    },
    place: isOn ? (
      <HumanCheck key={round} siteKey={site.turnstile_site_key} action={action} onToken={setToken} />
    ) : null,
  };
}

const widgetLanguages = { zh_CN: 'zh-cn', zh_HK: 'zh-tw', en_US: 'en', ja_JP: 'ja' } as const;

interface HumanCheckProps {
  siteKey: string;
  action: Action;
  onToken: (token: string) => void;
}

function HumanCheck({ siteKey, action, onToken }: HumanCheckProps) {
  const { t } = useTranslation('sign-up');
  const language = useLanguage();
  const place = useRef<HTMLDivElement>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    const box = place.current;
    if (box === null) return;
    let gone = false;
    let remove = () => {};
    loadTurnstile()
      .then((turnstile) => {
        if (gone) return;
        const id = turnstile.render(box, {
          sitekey: siteKey,
          action,
          language: widgetLanguages[language],
          size: 'flexible',
          callback: onToken,
          'expired-callback': () => onToken(''),
          'error-callback': () => setFailed(true),
        });
        remove = () => turnstile.remove(id);
      })
      .catch(() => {
        if (!gone) setFailed(true);
      });
    return () => {
      gone = true;
      remove();
    };
  }, [siteKey, action, language, onToken]);
  return (
    <Box>
      <Box ref={place} sx={{ minHeight: failed ? 0 : 65 }} />
      {failed && <FormError text={t('checkFailed')} />}
    </Box>
  );
}
