import { z } from 'zod'
import { LEVELS } from '../../doctor/finding.ts'
import { inEnglish } from '../../notices/in-english.ts'
import { ok } from '../call.ts'
import { parseBody } from '../parse-body.ts'
import { adminRoute } from '../route.ts'

const body = z.strictObject({
  clockUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('An HTTP server whose clock is compared with that of the server.'),
})

const notice = z.looseObject({ code: z.string() }).describe('a code with its values, for other languages')

const finding = z.object({
  level: z.enum(LEVELS),
  id: z.string().describe('stable name'),
  text: z.string(),
  fix: z.string().nullable().describe('how to fix the problem; null: there is none'),
  notices: z.object({ text: notice, fix: notice.nullable() }),
})

/**
 * POST /admin/doctor — examines the responding node, the servers that it uses, and the apps (docs/operations.md, Doctor). It
 * reports details of the server and of all apps, so only owners may call it.
 */
export const adminDoctor = adminRoute({
  method: 'POST',
  path: '/admin/doctor',
  need: 'own',
  summary: 'Examines the responding node, the servers that it uses, and all apps. Calls during a run get its report.',
  body,
  answer: z.object({ node: z.string(), at: z.string(), findings: z.array(finding) }),
  audited: false,
  handler: async ({ server, body: given }) => {
    const { clockUrl = null } = parseBody(body, given)
    const { at, findings } = await server.doctor.run(clockUrl)
    return ok({
      node: server.health.name,
      at: new Date(at).toISOString(),
      findings: findings.map(({ level, id, text, fix }) => ({
        level,
        id,
        text: inEnglish(text),
        fix: fix && inEnglish(fix),
        notices: { text, fix },
      })),
    })
  },
})
