import { z } from 'zod'
import { isClassName, isKeyName } from '../values/names.ts'

export const consoleSettings = z
  .strictObject({
    titleFields: z
      .record(
        z.string().refine(isClassName, 'must be the name of a class'),
        z.string().refine(isKeyName, 'must be the name of a field'),
      )
      .default({})
      .describe(
        'The field that stands for objects of a class where pointers and relations lead to them. Of other classes the console takes `name`, `title` or `username`.',
      ),
  })
  .prefault({})
