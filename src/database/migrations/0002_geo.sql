-- Points of the earth for `$nearSphere` and `$within`: places on the unit sphere, which GiST indexes by distance.

CREATE EXTENSION IF NOT EXISTS cube SCHEMA homeport;

-- The place of a GeoPoint value on the unit sphere, NULL for anything else. Its body is bound when it is created, so it
-- needs no search_path, which PostgreSQL 17 takes away while it builds an index, and a dump restores in the right order.
CREATE FUNCTION homeport.geo_point(value jsonb) RETURNS homeport.cube
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE
    WHEN value ->> '__type' = 'GeoPoint'
      AND jsonb_typeof(value -> 'latitude') = 'number'
      AND jsonb_typeof(value -> 'longitude') = 'number'
    THEN homeport.cube(ARRAY[
      cosd((value ->> 'latitude')::float8) * cosd((value ->> 'longitude')::float8),
      cosd((value ->> 'latitude')::float8) * sind((value ->> 'longitude')::float8),
      sind((value ->> 'latitude')::float8)
    ])
  END;
