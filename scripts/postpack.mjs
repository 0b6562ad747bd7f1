import { removeShrinkwrap } from './shrinkwrap.mjs'

removeShrinkwrap()
