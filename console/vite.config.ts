import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { decorativeIcons } from './decorative-icons.ts'

/** `npm run dev` in this folder serves the console for a server on port 3000. */
export default defineConfig({
  base: '/console/',
  plugins: [react(), decorativeIcons],
  // In development packages are bundled separately.
  optimizeDeps: { rolldownOptions: { plugins: [decorativeIcons] } },
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2022',
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1500,
  },
  server: { proxy: { '/admin': 'http://localhost:3000', '/files': 'http://localhost:3000' } },
})
