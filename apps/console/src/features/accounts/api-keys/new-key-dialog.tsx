import Alert from '@mui/material/Alert';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../../ui/display/code-block.tsx';
import { FoldedSection } from '../../../ui/form/form-section.tsx';
import { ReadingDialog } from '../../../ui/overlays/reading-dialog.tsx';
import { clientSnippets } from '../../../ui/product/client-snippets.ts';
import { SnippetTabs } from '../../../ui/product/snippet-tabs.tsx';
import { useServerAddress } from '../../site/site/queries.ts';
import { useExampleModel } from './use-example-model.ts';

const QrCode = lazy(() =>
  import('../../../ui/display/qr-code.tsx').then(({ QrCode }) => ({ default: QrCode })),
);
const QR_PIXELS = 200;

/** The whole key after it was made or replaced, with a first call to paste. */
export function NewKeyDialog({ apiKey, onClose }: { apiKey: string | undefined; onClose: () => void }) {
  const { t } = useTranslation('api-keys');
  const address = useServerAddress();
  const model = useExampleModel();
  return (
    <ReadingDialog open={apiKey !== undefined} onClose={onClose} title={t('newKeyTitle')} maxWidth="sm">
      <Alert severity="info">{t('newKeyText')}</Alert>
      {apiKey !== undefined && (
        <>
          <CodeBlock code={apiKey} label={t('theKey')} />
          <FoldedSection title={t('qrCode')} changed={0}>
            <Suspense fallback={null}>
              <QrCode text={apiKey} label={t('qrCode')} size={QR_PIXELS} />
            </Suspense>
          </FoldedSection>
          <SnippetTabs label={t('snippets')} snippets={clientSnippets(address, apiKey, model)} />
        </>
      )}
    </ReadingDialog>
  );
}
