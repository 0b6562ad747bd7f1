import { schemaOf } from '../../apps/apps.ts'
import type { Database } from '../../database/pool.ts'
import { type ClassOperation, DEFAULT_PERMISSIONS } from '../../objects/access/permissions.ts'
import { BUILT_IN_CLASSES } from '../../objects/classes/built-in-classes.ts'
import { type StoredClass, StoredClasses } from '../../objects/classes/stored-classes.ts'
import type { Examination } from '../examination.ts'
import { type Finding, fine, warning } from '../finding.ts'

/** Operations that show or change existing objects, or add fields. */
const OPERATIONS: readonly ClassOperation[] = ['find', 'get', 'update', 'delete', 'addField']
/** Names of fields that usually hold data about people, or secrets. */
const SENSITIVE =
  /pass(word|wd|code)|secret|token|api_?key|private_?key|credential|^auth(?!or)|id_?(card|number)|identity|passport|ssn|phone|mobile|e?mail|address|birth|bank|card_?(no|number)|iban|salary|income|open_?id|union_?id|medical|latitude|real_?name/i
/** Fields at most named in a finding. */
const MAX_FIELDS = 8

/** Reports classes that are open to everyone although they are closed by default, or have fields that look sensitive. */
export async function checkClasses({ database, apps }: Examination): Promise<Finding[]> {
  if (database === null || apps === null) return []
  const findings = await Promise.all(apps.map(({ id }) => checkApp(database, id)))
  return findings.flat()
}

async function checkApp(database: Database, app: string): Promise<Finding[]> {
  const classes = await new StoredClasses(schemaOf(app)).readAll(database.forApp(app))
  const findings = classes.flatMap((stored) => findingsOf(app, stored))
  return findings.length > 0 ? findings : [fine('doctorClasses', { app })]
}

function findingsOf(app: string, { name, permissions, defaultAcl, fields }: StoredClass): Finding[] {
  const open = OPERATIONS.filter((operation) => (permissions[operation] ?? 'public') === 'public')
  if (Object.hasOwn(BUILT_IN_CLASSES, name)) {
    const closed = DEFAULT_PERMISSIONS.get(name) ?? {}
    const opened = open.filter((operation) => closed[operation] !== undefined)
    return opened.length === 0
      ? []
      : [warning('doctorClassOpenToClients', { app, className: name, operations: opened })]
  }
  // New objects get an ACL of their own.
  if (defaultAcl !== null && !Object.hasOwn(defaultAcl, '*')) return []
  const isReadable = open.includes('find') || open.includes('get')
  const sensitive = [...fields.values()]
    .filter(({ options }) => options.hidden !== true)
    .map((field) => field.name)
    .filter((field) => SENSITIVE.test(field))
  if (!isReadable || sensitive.length === 0) return []
  return [
    warning('doctorClassOpen', { app, className: name, operations: open, fields: sensitive.slice(0, MAX_FIELDS) }),
  ]
}
