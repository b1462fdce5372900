import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { libraries } from './libraries.ts';

/** Where `npm run dev` finds a hub. */
const hub = process.env.NEXUS_HUB ?? 'http://127.0.0.1:8202';

export default defineConfig({
  plugins: [react(), tailwind(), libraries(fileURLToPath(new URL('.', import.meta.url)))],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0, // the policy of the page allows no data: addresses
    modulePreload: { polyfill: false }, // it would be an inline script
    reportCompressedSize: false,
  },
  server: { proxy: { '/api': { target: hub, changeOrigin: true } } },
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.{ts,tsx}'],
    restoreMocks: true,
    isolate: false,
    pool: 'threads',
    setupFiles: ['src/testing/setup.ts'],
  },
});
