import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const gateway = 'http://127.0.0.1:3000';

/** Libraries that change together are cached together; a screen's own libraries stay with the screen. */
const groups = [
  { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
  // With the library, so that its setting is made before any other chunk makes a schema.
  { name: 'schemas', test: /node_modules\/zod\/|before-schemas/ },
];

export default defineConfig({
  plugins: [react()],
  server: { proxy: { '/api': gateway, '/v1': gateway } },
  build: {
    target: 'es2022',
    manifest: true,
    // A data: address would be refused by the production CSP for fonts.
    assetsInlineLimit: 0,
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
});
