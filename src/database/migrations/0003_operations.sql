-- Field operations (protocol/storage, Field operations) that do not fit into one jsonb expression. All are IMMUTABLE: they read
-- nothing but their arguments, and a distributed UPDATE accepts no others.
-- SQLSTATE HP111 is reported to the caller as error 111.

-- A number plus an amount; an absent or null value counts as 0.
CREATE FUNCTION homeport.op_increment(value jsonb, amount numeric) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN value IS NULL OR value = 'null'::jsonb THEN amount ELSE value::numeric + amount END::text::jsonb
$$;

-- BitAnd, BitOr, BitXor on an integer; an absent or null value counts as 0.
CREATE FUNCTION homeport.op_bit(value jsonb, operation text, operand bigint) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  number numeric := CASE WHEN value IS NULL OR value = 'null'::jsonb THEN 0 ELSE value::numeric END;
BEGIN
  IF number <> trunc(number) OR abs(number) > 9007199254740991 THEN
    RAISE EXCEPTION 'a bit operation needs an integer' USING ERRCODE = 'HP111';
  END IF;
  RETURN CASE operation
    WHEN 'BitAnd' THEN number::bigint & operand
    WHEN 'BitOr' THEN number::bigint | operand
    ELSE number::bigint # operand
  END::text::jsonb;
END
$$;

-- The array that an array operation starts from: an absent or null value counts as [].
CREATE FUNCTION homeport.op_array(value jsonb) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  IF value IS NULL OR value = 'null'::jsonb THEN
    RETURN '[]'::jsonb;
  END IF;
  IF jsonb_typeof(value) <> 'array' THEN
    RAISE EXCEPTION 'an array operation needs an array' USING ERRCODE = 'HP111';
  END IF;
  RETURN value;
END
$$;

-- Appends those values that the array does not hold yet, each once.
CREATE FUNCTION homeport.op_add_unique(value jsonb, additions jsonb) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  result jsonb := homeport.op_array(value);
  missing jsonb;
BEGIN
  SELECT jsonb_agg(addition ORDER BY position) INTO missing
  FROM (
    SELECT addition, min(position) AS position
    FROM jsonb_array_elements(additions) WITH ORDINALITY AS a(addition, position)
    WHERE NOT EXISTS (SELECT FROM jsonb_array_elements(result) AS e(element) WHERE element = addition)
    GROUP BY addition
  ) AS fresh;
  RETURN result || COALESCE(missing, '[]'::jsonb);
END
$$;

-- Removes every occurrence of the values.
CREATE FUNCTION homeport.op_remove(value jsonb, removals jsonb) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  kept jsonb;
BEGIN
  SELECT jsonb_agg(element ORDER BY position) INTO kept
  FROM jsonb_array_elements(homeport.op_array(value)) WITH ORDINALITY AS e(element, position)
  WHERE NOT EXISTS (SELECT FROM jsonb_array_elements(removals) AS r(removal) WHERE removal = element);
  RETURN COALESCE(kept, '[]'::jsonb);
END
$$;

-- Sets a member deep inside an object and makes the objects on the way that are missing. A NULL value removes it.
CREATE FUNCTION homeport.op_set_path(target jsonb, path text[], value jsonb) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  child jsonb;
BEGIN
  IF target IS NULL OR target = 'null'::jsonb THEN
    IF value IS NULL THEN
      RETURN target;
    END IF;
    target := '{}'::jsonb;
  END IF;
  IF jsonb_typeof(target) <> 'object' OR (target ? '__type') THEN
    RAISE EXCEPTION 'a dotted key needs an object' USING ERRCODE = 'HP111';
  END IF;
  IF cardinality(path) = 1 THEN
    RETURN CASE WHEN value IS NULL THEN target - path[1] ELSE target || jsonb_build_object(path[1], value) END;
  END IF;
  child := homeport.op_set_path(target -> path[1], path[2:], value);
  RETURN CASE WHEN child IS NULL THEN target ELSE target || jsonb_build_object(path[1], child) END;
END
$$;
