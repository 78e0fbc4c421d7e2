import Box from '@mui/material/Box';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../../../i18n/use-language.ts';
import { FormError } from '../../../ui/feedback/form-error.tsx';
import { useSite } from '../../site/site/queries.ts';

type Action = 'register' | 'reset';

/** Renders Cloudflare Turnstile where the site requires it. A token is valid for one call. */
export function useCaptcha(action: Action) {
  const site = useSite();
  const [token, setToken] = useState('');
  const [round, setRound] = useState(0);
  const isOn = site?.turnstile_check === true;
  return {
    isMissing: isOn && token === '',
    /** Returns the token for a call and starts a new check. */
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

/**
 * Origin of Cloudflare Turnstile:
 * https://developers.cloudflare.com/turnstile/get-started/client-side-rendering/
 */
const ORIGIN = 'https://challenges.cloudflare.com';
const SCRIPT = `${ORIGIN}/turnstile/v0/api.js?render=explicit`;
const DEADLINE_MS = 15_000;

interface Turnstile {
  render(place: HTMLElement, options: Readonly<Record<string, unknown>>): string;
  remove(widget: string): void;
}

interface PolicyFactory {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): unknown;
}

declare global {
  interface Window {
    turnstile?: Turnstile;
    /** Missing in some browsers. */
    readonly trustedTypes?: PolicyFactory;
  }
}

let loading: Promise<Turnstile> | undefined;

/**
 * Loads Turnstile's script. After a failure the next call tries again.
 * @throws when the script cannot be loaded, for instance because it is blocked
 */
function loadTurnstile(): Promise<Turnstile> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

function load(): Promise<Turnstile> {
  allowScripts();
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    const deadline = setTimeout(() => reject(new Error('Turnstile did not load in time')), DEADLINE_MS);
    script.async = true;
    script.addEventListener('load', () => {
      clearTimeout(deadline);
      if (window.turnstile === undefined) reject(new Error('Turnstile loaded without its function'));
      else resolve(window.turnstile);
    });
    script.addEventListener('error', () => {
      clearTimeout(deadline);
      script.remove();
      reject(new Error('Turnstile could not be loaded'));
    });
    script.src = SCRIPT;
    document.head.append(script);
  });
}

let allowed = false;

/**
 * Installs the default Trusted Types policy, which the browser consults for the scripts that Turnstile itself
 * loads. It permits this one host only.
 */
function allowScripts(): void {
  if (allowed) return;
  window.trustedTypes?.createPolicy('default', { createScriptURL: allowTurnstileUrl });
  allowed = true;
}

/** @throws TypeError for a URL of another origin */
export function allowTurnstileUrl(url: string): string {
  if (new URL(url, location.href).origin === ORIGIN) return url;
  throw new TypeError('the script URL is not on Turnstile’s host');
}
