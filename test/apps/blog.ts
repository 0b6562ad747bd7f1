import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { modules } from './installed.ts'

/** A blog that Hexo makes, in a directory of its own. */
export interface Blog {
  /** The generated pages; there after `hexo generate`. */
  readonly pages: string
  addPost(name: string, title: string): Promise<void>
  /** Runs `hexo` to its end. */
  hexo(...args: string[]): Promise<{ code: number | null; output: string }>
}

/**
 * Makes a blog with the installed Hexo and a theme.
 * @param config its `_config.yml`
 * @param themeConfig its `_config.<theme>.yml`
 * @param atEnd vitest's `afterAll` or `onTestFinished`: then it is removed
 */
export async function makeBlog(
  theme: 'next' | 'fluid',
  config: object,
  themeConfig: object,
  atEnd: (end: () => Promise<void>) => void,
): Promise<Blog> {
  const directory = await mkdtemp(join(tmpdir(), 'homeport-blog-'))
  atEnd(() => rm(directory, { recursive: true, force: true }))
  const posts = join(directory, 'source/_posts')
  await mkdir(posts, { recursive: true })
  await symlink(modules, join(directory, 'node_modules'), 'dir')
  const plugins = [
    'generator-index',
    'renderer-ejs',
    'renderer-marked',
    'renderer-stylus',
    'leancloud-counter-security',
  ]
  const dependencies = Object.fromEntries(plugins.map((plugin) => [`hexo-${plugin}`, '*']))
  // JSON is YAML too.
  const files: Record<string, object> = {
    'package.json': { name: 'blog', version: '0.0.0', private: true, hexo: { version: '' }, dependencies },
    '_config.yml': {
      title: 'Blog',
      url: 'http://127.0.0.1',
      permalink: 'posts/:title/',
      theme,
      // The plugin demands that this is there.
      leancloud_counter_security: { enable_sync: false },
      ...config,
    },
    [`_config.${theme}.yml`]: themeConfig,
  }
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), JSON.stringify(content))
  return {
    pages: join(directory, 'public'),
    addPost: (name, title) =>
      writeFile(join(posts, `${name}.md`), `---\ntitle: ${title}\ndate: 2024-05-01\n---\nWords of ${title}.\n`),
    async hexo(...args) {
      const run = spawn(process.execPath, [join(modules, 'hexo/bin/hexo'), ...args], {
        cwd: directory,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let output = ''
      for (const stream of [run.stdout, run.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
      const [code] = (await once(run, 'close')) as [number | null]
      return { code, output }
    },
  }
}
