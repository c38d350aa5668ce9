picture.svg: from SOURCE/tests/results/overlap.json
set terminal svg size 460,460 noenhanced font 'sans,11' background '#ffffff'
cells = 'image pixels'
set encoding utf8
set tics out nomirror
set border 3 lc rgb '#404040'
set multiplot layout 1,1 rowsfirst title 'Overlap of communication and computation' . "\n" . 'collbench-overlap on 2 ranks, 2026-11-23 23:13, SMPI Version 3.32. Copyright The SimGrid' font ',13'
set rmargin 10
set title 'sender side' font ',13'
set xlabel 'message size (B)'
set ylabel 'computation (us)'
set palette defined (0 '#000000', 0.5 '#7a1fa2', 1 '#e81818', 2 '#fff04a')
unset logscale cb
set cbrange [0:2]
set format cb '%h'
set cblabel 'overhead ratio' offset 1.5
set cbtics ("0\nhidden" 0, '0.5' 0.5, "1\nnone\nhidden" 1, '1.5' 1.5, "2\nslower" 2)
unset logscale xy
set xtics autofreq norotate
set ytics autofreq
set xrange [-0.5:2.5]
set xtics ("1K" 0, "4K" 1, "16K" 2)
set yrange [-0.5:2.5]
set ytics ("8" 0, "32" 1, "64" 2)
set size square
set key above right samplen 2.5
plot '-' using 1:2:3 with @cells notitle, '-' using 1:2 with lines lc rgb '#000000' lw 5 notitle, '-' using 1:2 with lines lw 2.5 lc rgb '#40ff90' title 'T_comm'
0 0 0
1 0 0
2 0 0
0 1 0.000911837946
1 1 0.000867565684
2 1 0
0 2 0.000911837946
1 2 0.000867565684
2 2 0.000372560531
e
0 0.727539371
1 0.7634416
2 1.74638135
e
0 0.727539371
1 0.7634416
2 1.74638135
e
unset multiplot
