import IconButton from '@mui/material/IconButton';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { notify } from '../feedback/toasts.ts';

/** Copies the text and returns whether that worked; browsers refuse on plain HTTP and without focus. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns a function that copies text; if that fails, a toast shows the text for copying by hand. */
export function useCopy(): (text: string, what: string) => Promise<boolean> {
  const { t } = useTranslation();
  return async (text, what) => {
    const copied = await copyText(text);
    if (copied) notify('success', t('copied', { what }));
    else notify('warning', t('copyFailed', { what }), { detail: text });
    return copied;
  };
}

interface CopyButtonProps {
  text: string;
  /** Name of the copied text in the middle of a sentence: "request id". */
  what: string;
}

export function CopyButton({ text, what }: CopyButtonProps) {
  const { t } = useTranslation();
  const copy = useCopy();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  const label = t('copyWhat', { what });
  return (
    <IconButton
      size="small"
      title={label}
      aria-label={label}
      onClick={(event) => {
        event.stopPropagation();
        void copy(text, what).then(setCopied);
      }}
    >
      {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
    </IconButton>
  );
}
