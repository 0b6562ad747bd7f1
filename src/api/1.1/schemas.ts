import { schemaEntry } from '../../objects/classes/schema-listing.ts'
import { checkClassName } from '../../values/names.ts'
import { ok } from '../call.ts'
import { masterRoute, type Route } from '../route.ts'

/** The fields of classes and their types (protocol/storage, Schemas). */
export const schemas: readonly Route[] = [
  masterRoute({
    method: 'GET',
    path: '/1.1/schemas',
    rate: 'queries',
    adminReadable: true,
    handler: async (call) => {
      await call.app.objects.classes.refreshIfChanged()
      return ok(Object.fromEntries(call.app.objects.classes.all().map((schema) => [schema.name, schemaEntry(schema)])))
    },
  }),
  masterRoute({
    method: 'GET',
    path: '/1.1/schemas/:className',
    rate: 'queries',
    adminReadable: true,
    handler: async (call) => {
      const schema = await call.app.objects.classes.find(checkClassName(call.params.className))
      return ok(schemaEntry(schema))
    },
  }),
]
