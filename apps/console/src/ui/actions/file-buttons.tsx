import Button from '@mui/material/Button';
import { IconDownload, IconUpload } from '@tabler/icons-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';

interface FileButtonProps {
  label: string;
  /** Value of the input's `accept` attribute. */
  accept: string;
  onChoose: (file: File) => void;
}

/** Lets the user choose a file, also the same one again. */
export function FileButton({ label, accept, onChoose }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        variant="outlined"
        color="inherit"
        startIcon={<IconUpload size={18} />}
        onClick={() => input.current?.click()}
      >
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        accept={accept}
        hidden
        aria-label={label}
        onChange={(event) => {
          const file = event.target.files?.[0];
          event.target.value = '';
          if (file !== undefined) onChoose(file);
        }}
      />
    </>
  );
}

/** Returns a file as a data URL. */
export function readAsDataUrl(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => {
      if (typeof reader.result === 'string') resolve(reader.result);
    });
    reader.addEventListener('error', () => reject(new Error('the file cannot be read', { cause: reader.error })));
    reader.readAsDataURL(file);
  });
}

/** Downloads everything that a list's filter matches, as a file from the server. */
export function ExportLink({ href }: { href: string }) {
  const { t } = useTranslation();
  return (
    <Button
      component="a"
      variant="outlined"
      color="inherit"
      startIcon={<IconDownload size={18} />}
      href={href}
      download
    >
      {t('table.exportCsv')}
    </Button>
  );
}
