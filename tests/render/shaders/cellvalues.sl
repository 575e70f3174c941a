/* What neighbours in a grid tell, as colours: differences, normals, areas, parameters and a variable of the mesh. */
surface cellvalues(varying color tint = 1; uniform float face = 0)
{
    vector du = Du(P), dv = Dv(P);
    normal n = normalize(calculatenormal(P));
    color steps = color(length(du), length(dv), sqrt(area(P)));
    float nearby = filterstep(0.1, s, 0.2) + 0.5 * smoothstep(0, 1, u) + 0.25 * v;
    Oi = Os;
    Ci = Os * (0.5 * tint + 0.2 * color(abs(xcomp(n)), abs(ycomp(n)), abs(zcomp(n))) + 4 * steps + 0.1 * nearby +
               0.2 * abs(normalize(N) . normalize(I)) + 0.05 * face + diffuse(normalize(N)));
}
